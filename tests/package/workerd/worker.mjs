import * as lastword from "lastword";
import { scenario } from "./scenario.mjs";

export default {
  fetch: async () => Response.json(await scenario(lastword)),
};
