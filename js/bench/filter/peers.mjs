// Other engines, behind the same rules. Neither looks behind or ahead, so what may stand around a match is asked of
// the text after it was found.

import { createRequire } from "node:module";
import { redact } from "@arcjet/redact";
import { RE2JS } from "re2js";
import { counts, label } from "./rules.mjs";

const { RE2 } = createRequire(import.meta.url)("re2-wasm");

const source = (rules) => rules.map((rule) => `(${rule.pattern})`).join("|");

/** True if neither side of a match has what may not stand there. */
function stands(rule, sets, text, start, end) {
  const [before, after] = sets.get(rule);
  return !(start > 0 && before?.test(text[start - 1])) && !(end < text.length && after?.test(text[end]));
}

const guards = (rules) => new Map(rules.map((rule) => [rule, [rule.before, rule.after].map((set) => set && new RegExp(set))]));

/** By Google's engine as WebAssembly. */
export function re2(rules) {
  const [expression, sets] = [new RE2(source(rules), "gu"), guards(rules)];
  const replace = (found, ...rest) => {
    const [groups, at, text] = [rest.slice(0, rules.length), rest[rules.length], rest[rules.length + 1]];
    const rule = rules[groups.findIndex((group) => group !== undefined)];
    return stands(rule, sets, text, at, at + found.length) && counts(rule, found) ? label(rule) : found;
  };
  return (text) => expression.replace(text, replace);
}

/** By its port to JavaScript. */
export function re2js(rules) {
  const [expression, sets] = [RE2JS.compile(source(rules)), guards(rules)];
  return (text) => {
    const matcher = expression.matcher(text);
    let [out, at] = ["", 0];
    while (matcher.find()) {
      const [start, end] = [matcher.start(), matcher.end()];
      const rule = rules.find((_, group) => matcher.group(group + 1) !== null);
      if (!stands(rule, sets, text, start, end) || !counts(rule, text.slice(start, end))) continue;
      out += text.slice(at, start) + label(rule);
      at = end;
    }
    return out + text.slice(at);
  };
}

/** The nearest peer, with the entities that it knows and we do. */
export const arcjet = async (text) => (await redact(text, { entities: ["email", "credit-card-number", "ip-address"] }))[0];
