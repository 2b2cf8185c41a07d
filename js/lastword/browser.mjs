// Browsers: nothing is fetched on import. `await init()` fetches the module from beside this file.

import { init as start } from "./index.mjs";

export * from "./index.mjs";

/** Starts the module; what is started already stays. Bundlers know this form of URL and put the file where it leads. */
export async function init(module = new URL("./lastword.wasm", import.meta.url)) {
  await start(module);
}
