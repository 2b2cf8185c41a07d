import * as lastword from "lastword";
import { scenario } from "./scenario.mjs";

console.log(JSON.stringify(await scenario(lastword)));
