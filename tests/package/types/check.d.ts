// What the check of the package's own sources needs to know beside the language and the web.

declare module "*.wasm" {
  const module: WebAssembly.Module;
  export default module;
}

declare module "*.wasm?module" {
  const module: WebAssembly.Module;
  export default module;
}

interface Transformer<I, O> {
  cancel?(reason?: unknown): void | PromiseLike<void>;
}
