import type { Store, StoreTraits } from "./stores/store.js";

/** How a store is to be tried. */
export interface ConformanceOptions {
  /** A handle on the store. Each call gives one on the same data: another client or process, if the store has such. */
  open(): Store | Promise<Store>;
  /** Closes a handle. */
  close?(store: Store): unknown;
  /** How many handles the callers of a case are spread over, 50 at most: 1 unless said. */
  clients?: number;
  /** Opens the same data once all handles were closed. */
  reopen?(): Store | Promise<Store>;
  /**
   * A handle that can be lost while it saves: `lose` ends its process, its connection or its server, at once, and
   * brings back what `open` needs. `attempt` counts from 0.
   */
  fragile?(attempt: number): Promise<{ store: Store; lose(): unknown }>;
  /** How many saves are cut in each such case: 12 unless said. */
  cuts?: number;
  /** Waits until a key may be written again, or what was written is seen: so many milliseconds unless said. */
  wait?(ms: number): Promise<void>;
  /** How long a case may take, in milliseconds. */
  patience?: number;
}

/** One thing that a store must do. It throws if the store does not. */
export interface Case {
  /** `group: sentence`; the groups are contract, values, lists, races and cuts. */
  name: string;
  run(): Promise<void>;
}

/** A case that is left out, and why. */
export interface Excluded {
  name: string;
  reason: string;
}

/**
 * The cases that a store must pass, and those that its traits or the options leave out. Each case has keys of its own,
 * so that they can run on one store, in any order and at once.
 *
 * @throws {LastwordError} `invalid_store` if it has no valid traits.
 */
export function conformance(options: ConformanceOptions): Promise<{ traits: StoreTraits; cases: Case[]; excluded: Excluded[] }>;

/**
 * Registers the cases with a runner, as `await testStore(test, () => memory())`, with the `test` of node:test, Bun or
 * Vitest, or `Deno.test`. Gives the cases that are left out, and prints them.
 */
export function testStore(
  test: (name: string, run: () => Promise<void>) => unknown,
  open: () => Store | Promise<Store>,
  options?: Omit<ConformanceOptions, "open">,
): Promise<Excluded[]>;

/**
 * What befalls an operation: it is not done, and `NotWritten` is thrown; it is not done, or is done, and the answer is
 * lost; a save is told that its expectation does not hold. What reads throws for each.
 */
export type Fault = "unavailable" | "uncertain-before" | "uncertain-after" | "conflict";

/** An operation as it came to the store. `keys` are those of the values; of a list its prefix. */
export interface Operation {
  operation: "load" | "save" | "list" | "delete";
  keys: string[];
  fault: Fault | undefined;
}

/**
 * The store, with faults for tests of what stands on it. `plan` has them by the number of the operation, the first
 * being 0, or is asked for each.
 */
export function faulty(
  store: Store,
  plan: { [at: number]: Fault | undefined } | ((operation: { at: number; operation: Operation["operation"]; keys: string[] }) => Fault | undefined),
): Store & { readonly operations: Operation[] };
