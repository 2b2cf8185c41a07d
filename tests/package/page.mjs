// In a page: what the scenario gives, and what was thrown before the module was started.

import * as lastword from "lastword";
import { before, scenario } from "./scenario.mjs";

async function run() {
  const early = before(lastword);
  await lastword.init();
  return { early, ...(await scenario(lastword)) };
}

globalThis.result = run().catch((error) => ({ error: String(error) }));
