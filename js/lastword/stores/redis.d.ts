import type { Store } from "./store.js";
import type { Lifetime } from "./workers-kv.js";

/** What is used of a client: of node-redis, ioredis or `@upstash/redis`, also of a cluster. */
export interface RedisClient {
  eval(...script: any[]): Promise<unknown>;
}

/**
 * Keeps values in a Redis; each save is one script. The client is node-redis (connected), ioredis or Upstash's, and
 * each reads what another has written. What Redis has answered is durable as far as Redis is: that means `appendonly
 * yes` with `appendfsync always`, and a replica that takes over may lack the last saves.
 *
 * @param options.prefix What each key in Redis begins with: `{lastword}` unless said. All keys of one store must be in
 *   one slot of a cluster, which the braces see to.
 * @throws {LastwordError} `invalid_store` if the client is none of these, or an option is not valid.
 */
export function redis(client: RedisClient, options?: Lifetime & { prefix?: string }): Store;
