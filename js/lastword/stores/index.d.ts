export type { Head, Part, Store, Stored, StoreTraits } from "./store.js";
export { memory } from "./memory.js";
export { workersKv, type KvNamespace, type Lifetime } from "./workers-kv.js";
export { durableObject, type ObjectStorage } from "./durable-object.js";
export { redis, type RedisClient } from "./redis.js";
export { denoKv, type KvOfDeno } from "./deno-kv.js";
export { traitsOf } from "./traits.js";
export { NotWritten } from "../errors.js";
