export * from "./core.js";
export * from "./errors.js";
export * from "./filter.js";
