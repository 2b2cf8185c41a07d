import module from "lastword/lastword.wasm?module";
import * as lastword from "lastword/slim";
import { before, scenario } from "../../scenario.mjs";

export const runtime = "edge";

export async function GET() {
  const early = before(lastword);
  lastword.initSync(module);
  return Response.json({ early, ...(await scenario(lastword)) });
}
