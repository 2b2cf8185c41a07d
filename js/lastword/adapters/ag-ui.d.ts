import type { Reader } from "./reader.js";

export const format: "ag-ui";

export function reader(): Reader;
