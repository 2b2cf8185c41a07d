// Where lines of the log go.

import { core } from "./core.mjs";
import { log_to } from "./lastword.js";

/**
 * Gives each line of the log to `log`, as an object: a stable `code`, mostly the run's id, and of what a client was told
 * the `reference`. `false` keeps none. Without an argument lines go to `console.error`, as JSON, as they do at first.
 */
export function setLog(log) {
  core();
  log_to(log === undefined ? undefined : log === false ? () => {} : (line) => log(JSON.parse(line)));
}
