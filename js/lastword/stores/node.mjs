// All stores, with those that need Node.js.

export * from "./index.mjs";
export { fileSystem } from "./file-system.mjs";
export { sqlite } from "./sqlite.mjs";
