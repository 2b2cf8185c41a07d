import type { CompiledModule } from "./core.js";

/** The compiled module, where an import of it gives that: in Workers, in edge functions (with `?module`), in Deno (`import source`). */
declare const module: CompiledModule;
export default module;
