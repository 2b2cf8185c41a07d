// Options as the core reads them: as the Worker's variables.

import { plain } from "./filter.mjs";
import { LastwordError } from "./errors.mjs";
import { fault } from "./lastword.js";
import { traitsOf } from "./stores/traits.mjs";

/**
 * Options that are numbers, with the variables that they are and how many units of those one of theirs is.
 * @type {Record<string, [string, number]>}
 */
const NUMBERS = {
  lease: ["LEASE", 1000],
  retention: ["RETENTION", 1000],
  privateRetention: ["PRIVATE_RETENTION", 1000],
  stream: ["STREAM", 1000],
};

const LIMITS = {
  steps: "STEPS",
  retries: "RETRIES",
  firstByte: "FIRST_BYTE_MS",
  idle: "IDLE_MS",
  tools: "TOOLS_MS",
  run: "RUN_MS",
  output: "OUTPUT_BYTES",
  body: "BODY_BYTES",
};

const CHOICES = { truncated: "TRUNCATED", blank: "BLANK", early: "EARLY", exactlyOnce: "EXACTLY_ONCE", deltas: "DELTAS" };

const PUBLIC = ["intermediate", "thinking", "tools", "working"];

/** What `respond` and `createHandler` have in common. */
export function settings(options, store) {
  const vars = { LASTWORD_STORE: "given", LASTWORD_STORE_TRAITS: traits(store) };
  const set = (name, value) => value !== undefined && value !== null && (vars[`LASTWORD_${name}`] = String(value));
  for (const [option, [name, unit]] of Object.entries(NUMBERS)) {
    if (options[option] !== undefined) set(name, whole(option, options[option] / unit));
  }
  for (const [option, name] of Object.entries(LIMITS)) set(name, options.limits?.[option]);
  for (const [option, name] of Object.entries(CHOICES)) set(name, options[option]);
  set("MODEL", options.model);
  set("THINKING_TAGS", options.thinkingTags === true ? "true" : undefined);
  set("PUBLIC", PUBLIC.filter((name) => options.public?.[name] === true).map((name) => `${name}=true`).join(","));
  set("REDACT", options.filter === false ? "off" : options.filter && options.filter !== true ? JSON.stringify(options.filter, plain) : undefined);
  return vars;
}

/** The traits of a store, as the core reads them. */
function traits(store) {
  const { claim, outcome, owner, batch, maxValue, minInterval, staleness } = traitsOf(store);
  return JSON.stringify({ claim, outcome, owner, batch, max_value: maxValue, min_interval: minInterval, staleness });
}

function whole(option, value) {
  if (Number.isInteger(value)) return value;
  throw new LastwordError("invalid_options", `${option} is in milliseconds and must be whole seconds.`);
}

/**
 * An error of the core's, its code and message, whose message names an option and no variable.
 * @param {string[]} error
 */
export function optionError([code, why]) {
  const name = (_, variable) => NAMED[variable] ?? variable.toLowerCase();
  return new LastwordError(code === "not_configured" ? "invalid_options" : code, why.replace(/LASTWORD_([A-Z_]+)/g, name));
}

/** The variables, if the core can do with them. */
export function checked(vars) {
  const wrong = fault(vars);
  if (wrong) throw optionError(wrong.split("\n"));
  return vars;
}

const NAMED = Object.fromEntries([
  ...Object.entries(NUMBERS).map(([option, [name]]) => [name, option]),
  ...Object.entries(LIMITS).map(([option, name]) => [name, `limits.${option}`]),
  ...Object.entries(CHOICES).map(([option, name]) => [name, option]),
  ["REDACT", "filter"],
  ["PROVIDER", "from"],
  ["STORE_TRAITS", "store.traits"],
]);

/** Whether this process goes on when a request is over: Workers end with it. */
export const stays = () => globalThis.navigator?.userAgent !== "Cloudflare-Workers";
