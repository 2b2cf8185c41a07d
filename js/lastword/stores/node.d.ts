export * from "./index.js";
export { fileSystem } from "./file-system.js";
export { sqlite, type SqliteDatabase } from "./sqlite.js";
