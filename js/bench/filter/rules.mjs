// The built-in rules as JavaScript's regular expressions, from the file that the core's are compiled from.

import { readFileSync } from "node:fs";
import { inside } from "../../scripts/lib/paths.mjs";
import { checks } from "./checks.mjs";

/** The rules that are on by default, in their order: `{ name, pattern, before, after, check }`. */
export function readRules() {
  const rules = [];
  for (const line of readFileSync(inside("src/redact/rules.txt"), "utf8").split("\n")) {
    const name = line.match(/^\[(.+)\]$/)?.[1];
    const field = line.match(/^([a-z-]+) = (.*)$/);
    if (name) rules.push({ name, match: [], fields: {} });
    else if (field?.[1] === "match") rules.at(-1).match.push(field[2]);
    else if (field) rules.at(-1).fields[field[1]] = field[2];
  }
  return rules.filter(({ fields }) => fields.default !== "off").map(rule);
}

function rule({ name, match, fields }) {
  const check = fields.check && checks[fields.check];
  if (fields.check && !check) throw new Error(`the benchmark has no check ${fields.check}`);
  return {
    name,
    pattern: `${fields.lookback ?? ""}(?:${match.join("|")})`,
    /** The classes of what may not stand before and behind. */
    before: fields["not-after"],
    after: fields["not-before"],
    longest: fields.longest && Number(fields.longest),
    check: check ?? (() => true),
  };
}

const ahead = ({ after }) => (after ? `(?!${after})` : "");
const behind = (before) => (before ? `(?<!${before})` : "");

/** A rule as careful people write it: what may not stand before is looked at first. */
export const careful = (rule) => behind(rule.before) + rule.pattern + ahead(rule);

/** All rules as one expression, a group each. Those with the same class before them look behind once. */
export function alternation(rules, { lookBehind = true } = {}) {
  const heads = new Map();
  for (const rule of rules) heads.set(rule.before, [...(heads.get(rule.before) ?? []), rule]);
  const order = [...heads.values()].flat();
  const group = (rule) => `(${rule.pattern}${ahead(rule)})`;
  const source = [...heads].map(([before, those]) => `${lookBehind ? behind(before) : ""}(?:${those.map(group).join("|")})`);
  return { expression: new RegExp(source.join("|"), "g"), order };
}

/** What stands for what a rule has found. */
export const label = (rule) => `[REDACTED:${rule.name}]`;

/** True if a match of a rule's pattern and guards counts. */
export const counts = (rule, text) => (!rule.longest || text.length <= rule.longest) && rule.check(text);
