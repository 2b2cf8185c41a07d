// What is compared: ways to remove the same rules' matches from a whole text, or from one that comes in tokens.

import { alternation, careful, counts, label } from "./rules.mjs";

/** The brute force against which all are checked: every start and every end of every rule, merged. */
export function oracle(rules, text, furthest = 400) {
  const spans = [];
  for (const [order, rule] of rules.entries()) {
    const begins = new RegExp(rule.pattern, "y");
    const whole = new RegExp(`^(?:${rule.pattern})$`);
    const [before, after] = [rule.before, rule.after].map((set) => set && new RegExp(set));
    for (let start = 0; start < text.length; start++) {
      begins.lastIndex = start;
      if (!begins.test(text) || (start > 0 && before?.test(text[start - 1]))) continue;
      for (let end = start + 1; end <= Math.min(text.length, start + furthest); end++) {
        if (end < text.length && after?.test(text[end])) continue;
        const found = text.slice(start, end);
        if (whole.test(found) && counts(rule, found)) spans.push({ start, end, order, first: end });
      }
    }
  }
  return replaced(rules, text, merged(spans));
}

function merged(spans) {
  const out = [];
  for (const span of spans.sort((one, other) => one.start - other.start)) {
    const last = out.at(-1);
    if (!last || span.start >= last.end) out.push({ ...span });
    else {
      if (span.first < last.first || (span.first === last.first && span.order < last.order)) Object.assign(last, { order: span.order, first: span.first });
      last.end = Math.max(last.end, span.end);
    }
  }
  return out;
}

function replaced(rules, text, spans) {
  let [out, at] = ["", 0];
  for (const { start, end, order } of spans) {
    out += text.slice(at, start) + label(rules[order]);
    at = end;
  }
  return out + text.slice(at);
}

/** One expression for all rules. */
export function together(rules, options) {
  const { expression, order } = alternation(rules, options);
  const replace = (found, ...groups) => {
    const rule = order[groups.findIndex((group) => group !== undefined)];
    return counts(rule, found) ? label(rule) : found;
  };
  return (text) => text.replace(expression, replace);
}

/** One replacement after the other, as most code does. */
export function oneByOne(rules) {
  const each = rules.map((rule) => [new RegExp(careful(rule), "g"), (found) => (counts(rule, found) ? label(rule) : found)]);
  return (text) => each.reduce((rest, [expression, replace]) => rest.replace(expression, replace), text);
}

/**
 * Holds back the last `width` units: with every token it looks again at what it holds, and lets go what is before the
 * last `width` units and in no match. One unit that has left is kept, for what looks behind.
 */
export function holdBack(rules, width, options) {
  const { expression, order } = alternation(rules, options);
  const scan = (held, behind, cut) => {
    let [out, at] = ["", behind];
    expression.lastIndex = behind;
    for (let match = expression.exec(held); match && match.index < cut; match = expression.exec(held)) {
      const end = expression.lastIndex;
      if (end > cut) {
        cut = match.index;
        break;
      }
      const rule = order[match.findIndex((group, at) => at > 0 && group !== undefined) - 1];
      if (counts(rule, match[0])) {
        out += held.slice(at, match.index) + label(rule);
        at = end;
      }
    }
    return [out + held.slice(at, cut), cut];
  };
  return () => {
    let [held, behind] = ["", 0];
    const give = (cut) => {
      if (cut <= behind) return "";
      const [out, end] = scan(held, behind, cut);
      if (end > 0) [held, behind] = [held.slice(end - 1), 1];
      return out;
    };
    return {
      push(token) {
        held += token;
        return give(held.length - width);
      },
      flush: () => give(held.length),
    };
  };
}

/** Holds back the last word. What has a space inside leaves in parts: this leaks. */
export function lastWord(rules) {
  const redact = together(rules);
  return () => {
    let held = "";
    return {
      push(token) {
        held += token;
        const cut = Math.max(held.lastIndexOf(" "), held.lastIndexOf("\n")) + 1;
        if (cut === 0) return "";
        const out = redact(held.slice(0, cut));
        held = held.slice(cut);
        return out;
      },
      flush: () => redact(held),
    };
  };
}
