/** The compiled module, where an import of it gives that: in Workers, in edge functions (with `?module`), in Deno (`import source`). */
declare const module: WebAssembly.Module;
export default module;
