import type { LastwordError } from "../errors.js";
import type { Store, StoreTraits } from "./store.js";

/** The least that a store takes as one value, in bytes. */
export const LEAST_VALUE: 16384;

/** What is taken for true of a store that does not say. */
export const WEAKEST: Readonly<StoreTraits>;

/**
 * All traits of a store, the weakest for those that it leaves out.
 *
 * @throws {LastwordError} `invalid_store` if a method is missing or a trait is not valid.
 */
export function traitsOf(store: Store): StoreTraits;

/** The error for a store, or for what it is to be made from, that can't be one. */
export function invalid(message: string): LastwordError;
