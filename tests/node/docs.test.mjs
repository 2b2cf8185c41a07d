// The guide of the npm package and its README, followed to the letter by somebody who has the packed tarball and an empty
// folder. Each file and each command that a page shows is tried; one that is not makes the last test of its page fail.

import assert from "node:assert/strict";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { before, test } from "node:test";
import { denoKv, durableObject, fileSystem, memory, redis, sqlite, traitsOf, workersKv } from "../../js/lastword/stores/node.mjs";
import { inside } from "../../js/scripts/lib/paths.mjs";
import { follows, redisEnv } from "./lib/docs/follow.mjs";
import { assertAnswer } from "./lib/docs/model.mjs";
import { Page } from "./lib/docs/page.mjs";

/** The ten lines, which two pages and the README show. */
const standsInFront = (newcomer) =>
  test("stands in front of a model", async (t) => {
    t.after(() => newcomer.stop());
    newcomer.write("proxy.mjs");
    await newcomer.serve("bun proxy.mjs");
    assertAnswer(await newcomer.run("curl"));
  });

const gets = (newcomer, names) => names.map((name) => test(`gets of ${name} what it says`, () => newcomer.program(name)));

follows("docs/npm.md", (newcomer) => {
  before(() => newcomer.install("npm install"));

  standsInFront(newcomer);
  gets(newcomer, ["agent.mjs", "stop.mjs", "again.mjs", "routes.mjs"]);
});

follows("docs/npm-stores.md", (newcomer) => {
  before(async () => {
    await newcomer.install("npm install lastword");
    await newcomer.install("npm install redis");
  });

  gets(newcomer, ["stores.mjs"]);

  test("tries a store of its own", async () => {
    for (const name of ["store.mjs", "store.test.mjs"]) newcomer.write(name);
    const said = await newcomer.run("node --test");
    assert.match(said, /^\D*pass [1-9]\d*$/m);
    assert.match(said, /^\D*fail 0$/m);
  });
}, { "": { env: redisEnv } });

follows("docs/npm-parts.md", (newcomer) => {
  before(() => newcomer.install("npm install"));

  gets(newcomer, ["turn.mjs", "sse.mjs", "filter.mjs"]);
});

follows("js/README.md", (newcomer) => {
  before(() => newcomer.install("npm install"));

  test("reads it in the package", () => {
    const read = (path) => readFileSync(path, "utf8");
    assert.equal(read(join(newcomer.folder, "node_modules/lastword/README.md")), read(inside("js/README.md")));
  });

  standsInFront(newcomer);
  gets(newcomer, ["recorded.mjs", "filter.mjs"]);
});

test("the README shows the ten lines of the guide", () => {
  const lines = new Page("docs/npm.md").file("proxy.mjs");
  assert.ok(readFileSync(inside("README.md"), "utf8").includes(`\n\`\`\`js\n${lines}\`\`\`\n`));
});

const namesIn = (folder, start = "") => readdirSync(inside(folder)).filter((name) => name.startsWith(start)).map((name) => `${folder}/${name}`);
const pages = ["js/README.md", ...namesIn("docs", "npm"), ...namesIn("docs/runtimes")];

test("each page is followed", () => {
  const files = readdirSync(inside("tests/node")).filter((name) => /^docs.*\.test\.mjs$/.test(name));
  const tests = files.map((name) => readFileSync(inside("tests/node", name), "utf8")).join("");
  assert.deepEqual(pages.filter((page) => !tests.includes(`follows("${page}"`)), []);
});

test("each link leads somewhere", () => {
  const anchor = (heading) => heading.toLowerCase().replace(/[^\w\s-]/g, "").replaceAll(" ", "-");
  const broken = pages.flatMap((page) => {
    const links = readFileSync(inside(page), "utf8").matchAll(/\]\(([^)#]*)#?([^)]*)\)/g);
    return [...links].filter(([, path, to]) => {
      const target = path ? join(inside(page), "..", path) : inside(page);
      if (!existsSync(target)) return true;
      const headings = [...readFileSync(target, "utf8").matchAll(/^#+ (.+)$/gm)].map(([, heading]) => anchor(heading));
      return to !== "" && !headings.includes(to);
    }).map(([link]) => `${page}: ${link}`);
  });
  assert.deepEqual(broken, []);
});

/** A store of each kind, as far as it says what it is. */
const STORES = {
  memory: () => memory(),
  durableObject: () => durableObject({ sql: { exec() {} } }),
  workersKv: () => workersKv({}),
  redis: () => redis({ eval() {}, sendCommand() {}, duplicate() {} }),
  denoKv: () => denoKv({}),
  fileSystem: () => fileSystem(tmpdir()),
  sqlite: () => sqlite({ prepare() {}, exec() {} }),
};

test("the table of stores says what they say", () => {
  const size = (text) => Number.parseInt(text) * { MiB: 1 << 20, KiB: 1 << 10, KB: 1000 }[text.match(/[KM]i?B/)[0]];
  const rows = readFileSync(inside("docs/npm-stores.md"), "utf8").matchAll(/^\| `(\w+)\(.*?\| (.+?) \| (.+?) \| .+? \| (.+?) \|/gm);
  const table = [...rows].map(([, name, claim, several, largest]) => {
    return [name, { claim, isShared: several.startsWith("yes"), maxValue: size(largest) }];
  });
  const said = Object.entries(STORES).map(([name, open]) => {
    const { claim, owner, maxValue } = traitsOf(open());
    return [name, { claim: claim.replace("_", " "), isShared: owner === "shared", maxValue }];
  });
  assert.deepEqual(table, said);
});
