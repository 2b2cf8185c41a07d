import type { Reader } from "./reader.js";
import type { Signal } from "../decode.js";

export const format: "signals";

export function reader(): Reader<Signal>;

/** True if that is the type of a signal. */
export function isSignal(type: string): boolean;
