// What must come out the same wherever the package runs: in every runtime and behind every bundler. Uses nothing of a
// runtime's own. A part is a file in `scenario/`: what it does with the package's exports, and what that must give.

import * as filter from "./scenario/filter.mjs";
import * as respond from "./scenario/respond.mjs";

const parts = { filter, respond };

/** What each part gives, as JSON. */
export async function scenario(lastword) {
  const result = { exports: Object.keys(lastword).sort() };
  for (const [name, part] of Object.entries(parts)) result[name] = await part.run(lastword);
  return result;
}

/** What each part must give. */
export const expected = Object.fromEntries(Object.entries(parts).map(([name, part]) => [name, part.expected]));

/** The code of what is thrown where the module has not been started. */
export function before({ OutputFilter, LastwordError }) {
  try {
    new OutputFilter();
    return "nothing was thrown";
  } catch (error) {
    return error instanceof LastwordError ? error.code : String(error);
  }
}
