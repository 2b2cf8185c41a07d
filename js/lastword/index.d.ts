export * from "./core.js";
export * from "./errors.js";
export * from "./filter.js";
export * from "./handler.js";
export * from "./log.js";
export * from "./respond.js";
export * from "./stores/index.js";
