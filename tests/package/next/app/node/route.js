import * as lastword from "lastword";
import { scenario } from "../../scenario.mjs";

export const dynamic = "force-dynamic";
export const GET = async () => Response.json(await scenario(lastword));
