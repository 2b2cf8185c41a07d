import type { Reader } from "./reader.js";
import type { Signal } from "../decode.js";

export const format: "signals";

export function reader(): Reader<Signal>;
