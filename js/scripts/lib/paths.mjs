import { delimiter, dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";

/** The repository's root. */
export const root = resolve(dirname(fileURLToPath(import.meta.url)), "../../..");

/** A path inside the repository. */
export const inside = (...parts) => join(root, ...parts);

/** The Node that the lock file names, whatever Node the machine has. */
export const node = inside("node_modules/.bin/node");

/** An environment in which the project's own programs come first. */
export const environment = (extra = {}) => ({
  ...process.env,
  PATH: [inside("node_modules/.bin"), inside("target/tools/bin"), process.env.PATH].join(delimiter),
  ...extra,
});
