import type { Reader } from "./reader.js";
import type { Signal } from "./signal.js";

export const format: "signals";

export function reader(): Reader<Signal>;
