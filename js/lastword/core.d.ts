/** `WebAssembly.Module`, where the program's own types know that name: those of Node.js alone don't. */
export type CompiledModule = typeof globalThis extends { WebAssembly: { Module: { prototype: infer Module } } } ? Module : object;

/** What the module can be started from: where it is fetched, what was fetched, its bytes, or what was compiled. */
export type ModuleSource = string | URL | Request | Response | Promise<Response> | ArrayBuffer | ArrayBufferView | CompiledModule;

/**
 * Starts the module; what is started already stays. Where the entry has started it on import (Node.js, Deno, Bun,
 * Workers, edge functions) this does nothing. In browsers the module is fetched from beside the package's files,
 * unless it is given. In `lastword/slim` it must be given.
 */
export function init(module?: ModuleSource): Promise<void>;

/** The same at once, from bytes or a compiled module. */
export function initSync(module: ArrayBuffer | ArrayBufferView | CompiledModule): void;
