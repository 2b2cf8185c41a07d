import * as lastword from "lastword";
import { scenario } from "./scenario.mjs";

addEventListener("fetch", (event) => {
  event.respondWith(scenario(lastword).then((result) => Response.json(result)));
});
