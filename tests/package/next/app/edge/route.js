import * as lastword from "lastword";
import { scenario } from "../../scenario.mjs";

export const runtime = "edge";
export const GET = async () => Response.json(await scenario(lastword));
