// The output filter's JavaScript form, as the npm package will hold it: in Node, in a real browser, in workerd.

import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { describe, test } from "node:test";
import { setTimeout as wait } from "node:timers/promises";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { convertV4MiniflareOptions, Miniflare } from "miniflare";
import { inside } from "../../js/scripts/lib/paths.mjs";
import { filesIn } from "../../js/scripts/package.mjs";
import { hasBrowser, startBrowser, startPage } from "./lib/browser.mjs";
import { cases, KEY } from "./lib/filter-table.mjs";

const PACKAGE = inside("build/js");
const TABLE = inside("tests/node/lib/filter-table.mjs");
const api = await import(`${PACKAGE}/node.mjs`);
const { core } = await import(`${PACKAGE}/core.mjs`);

describe("the filter in Node", () => {
  for (const [name, work] of Object.entries(cases)) test(name, () => work(api));
});

/** What a program writes that imports the package before it is initialized. */
const run = (script) => execFileSync(process.execPath, ["--input-type=module", "-e", script], { encoding: "utf8" }).trim();

describe("the filter's module", () => {
  test("says that it is not initialized, and can be initialized more than once", () => {
    const script = `
      import { readFileSync } from "node:fs";
      import { init, initSync, OutputFilter } from "${PACKAGE}/slim.mjs";
      try { new OutputFilter(); } catch (error) { console.log(error.code); }
      const bytes = readFileSync("${PACKAGE}/lastword.wasm");
      await Promise.all([init(bytes), init(bytes)]);
      const filter = new OutputFilter();
      initSync(bytes);
      await init();
      console.log(filter.push("fine ") + new OutputFilter().push("too "));`;
    assert.equal(run(script), "not_initialized\nfine too");
  });

  test("leaves no memory of 10,000 filters that were freed", () => {
    const round = () => {
      for (let at = 0; at < 10_000; at++) {
        const filter = new api.OutputFilter();
        filter.push(`the key is ${KEY.slice(0, 12)}`);
        filter.free();
      }
      return core().memory.buffer.byteLength;
    };
    const once = round();
    assert.equal(round(), once);
    assert.ok(once < 8_000_000, `${once} bytes`);
  });

  test("frees filters that nobody holds any longer", async () => {
    setFlagsFromString("--expose-gc");
    const gc = runInNewContext("gc");
    const round = async () => {
      for (let at = 0; at < 2000; at++) new api.OutputFilter().push(`the key is ${KEY.slice(0, 12)}`);
      gc();
      await wait(5);
      return core().memory.buffer.byteLength;
    };
    for (let times = 0; times < 3; times++) await round();
    const before = await round();
    for (let times = 0; times < 5; times++) await round();
    assert.equal(await round(), before);
  });
});

describe("the filter in a browser", { skip: (await hasBrowser()) ? false : "there is no chromedriver" }, () => {
  test("does the same", async (t) => {
    const files = filesIn(PACKAGE).map((name) => [`/${name}`, `${PACKAGE}/${name}`]);
    const page = await startPage({ ...Object.fromEntries(files), "/table.mjs": TABLE });
    t.after(page.stop);
    const browser = await startBrowser();
    t.after(browser.stop);
    const script = async () => {
      const [api, table] = await Promise.all([import("/browser.mjs"), import("/table.mjs")]);
      await api.init();
      return table.failures(api);
    };
    const { value, error } = await browser.run(page.origin, script);
    assert.equal(error, undefined);
    assert.deepEqual(value, { ran: Object.keys(cases).length, failed: [] });
  });
});

describe("the filter in workerd", () => {
  test("does the same", async (t) => {
    const worker = `
      import * as api from "./workerd.mjs";
      import { failures } from "./table.mjs";
      export default { fetch: async () => Response.json(await failures(api)) };`;
    const names = filesIn(PACKAGE).filter((name) => /\.m?js$/.test(name) && !/^(node|deno|bun|edge-light)\.mjs$/.test(name));
    const script = (path, file) => ({ type: "ESModule", path, contents: readFileSync(file, "utf8") });
    const modules = [
      { type: "ESModule", path: "worker.mjs", contents: worker },
      script("table.mjs", TABLE),
      ...names.map((name) => script(name, `${PACKAGE}/${name}`)),
      { type: "CompiledWasm", path: "lastword.wasm", contents: readFileSync(`${PACKAGE}/lastword.wasm`) },
    ];
    const server = new Miniflare(convertV4MiniflareOptions({ workers: [{ name: "filter", compatibilityDate: "2026-11-17", modules }], cf: false }));
    t.after(() => server.dispose());
    const response = await fetch(await server.ready);
    assert.deepEqual(await response.json(), { ran: Object.keys(cases).length, failed: [] });
  });
});
