// `npm run pack`: builds the npm package and leaves it as js/lastword-<version>.tgz. Runs on Node 20.

import { mkdirSync, renameSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { alone } from "./lib/alone.mjs";
import { inside } from "./lib/paths.mjs";
import { main, run, say } from "./lib/run.mjs";
import { buildPackage } from "./package.mjs";

/** Packs what has been built into a folder: the tarball's path. It is there as a whole or not at all. */
export const pack = (folder) =>
  alone(inside("target/pack.lock"), async () => {
    const staged = inside("target/pack");
    mkdirSync(staged, { recursive: true });
    mkdirSync(folder, { recursive: true });
    const said = await run("npm", ["pack", inside("build/js"), "--pack-destination", staged, "--loglevel=error"], { log: "npm-pack" });
    const name = said.trim().split("\n").at(-1);
    renameSync(join(staged, name), join(folder, name));
    return join(folder, name);
  });

if (import.meta.url === pathToFileURL(process.argv[1]).href) {
  await main(async () => {
    await buildPackage();
    say(`packed: ${await pack(inside("js"))}`);
  });
}
