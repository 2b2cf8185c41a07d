// In a page: what the scenario gives, and what came before the module was started.

import * as lastword from "lastword";
import { before, scenario } from "./scenario.mjs";

async function run() {
  const early = before(lastword);
  const missing = await lastword.init("/missing.wasm").then(
    () => "started",
    () => "failed",
  );
  await lastword.init();
  return { early, missing, ...(await scenario(lastword)) };
}

globalThis.result = run().catch((error) => ({ error: String(error) }));
