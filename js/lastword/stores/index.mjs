// The stores that need nothing of Node.js.

export { memory } from "./memory.mjs";
export { workersKv } from "./workers-kv.mjs";
export { durableObject } from "./durable-object.mjs";
export { redis } from "./redis.mjs";
export { denoKv } from "./deno-kv.mjs";
export { traitsOf } from "./traits.mjs";
export { NotWritten } from "../errors.mjs";
