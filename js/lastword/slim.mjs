// For libraries, and where no entry fits: the module is for the caller to give, to `init` or `initSync`.

export * from "./index.mjs";
