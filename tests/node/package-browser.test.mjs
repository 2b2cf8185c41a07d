// The packed package in a real browser: built by Vite, webpack and esbuild, from Vite's dev server, and without a bundler.

import assert from "node:assert/strict";
import { copyFileSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { pathToFileURL } from "node:url";
import esbuild from "esbuild";
import { hasBrowser, startBrowser, startFolder } from "./lib/browser.mjs";
import { json, project, TOOLS, webpack, whole } from "./lib/package.mjs";

const vite = (name) => import(pathToFileURL(join(TOOLS, name, "dist/node/index.js")));
const inPage = { early: "not_initialized", missing: "failed", ...whole };

/** In the page: what its script has come to. */
const result = async () => {
  while (!globalThis.result) await new Promise((done) => setTimeout(done, 20));
  return globalThis.result;
};

/** The modules that a build has written: one, or the same bytes would be loaded twice. */
const modules = (folder) => readdirSync(folder, { recursive: true }).filter((name) => name.endsWith(".wasm"));

describe("the package in a browser", { skip: (await hasBrowser()) ? false : "there is no chromedriver" }, () => {
  let browser;
  before(async () => (browser = await startBrowser()));
  after(() => browser?.stop());

  /** What a page of a folder comes to. */
  async function page(t, folder) {
    const server = await startFolder(folder);
    t.after(server.stop);
    const { value, error } = await browser.run(server.origin, result);
    assert.equal(error, undefined);
    return value;
  }

  test("works without a bundler", async (t) => {
    assert.deepEqual(await page(t, await project("plain")), inPage);
  });

  test("works built by webpack, which finds the module by itself, and in Node built so", async (t) => {
    const cwd = await project("webpack");
    await webpack(cwd);
    copyFileSync(join(cwd, "index.html"), join(cwd, "dist-web/index.html"));
    assert.equal(modules(join(cwd, "dist-web")).length, 1);
    assert.deepEqual(await page(t, join(cwd, "dist-web")), inPage);
    assert.deepEqual(await json(process.execPath, [join(cwd, "dist-node/main.cjs")], { cwd: "/" }), whole);
  });

  test("works built by esbuild, with the module beside the bundle", async (t) => {
    const cwd = await project("plain");
    await esbuild.build({ absWorkingDir: cwd, entryPoints: ["page.mjs"], bundle: true, minify: true, format: "esm", outfile: "dist/page.mjs" });
    copyFileSync(join(cwd, "node_modules/lastword/lastword.wasm"), join(cwd, "dist/lastword.wasm"));
    copyFileSync(join(cwd, "index.html"), join(cwd, "dist/index.html"));
    assert.deepEqual(await page(t, join(cwd, "dist")), inPage);
  });

  for (const [name, configFile] of [["vite", false], ["vite-7", "vite.config.mjs"]]) {
    describe(`by ${name}`, () => {
      let cwd, config, api;
      before(async () => {
        cwd = await project("vite");
        api = await vite(name);
        config = { root: cwd, configFile: configFile && join(cwd, configFile), logLevel: "error", clearScreen: false };
      });

      test("works built", async (t) => {
        await api.build(config);
        assert.equal(modules(join(cwd, "dist")).length, 1);
        assert.deepEqual(await page(t, join(cwd, "dist")), inPage);
      });

      test("works from the dev server", async (t) => {
        const server = await api.createServer({ ...config, server: { host: "127.0.0.1", port: 0 } });
        t.after(() => server.close());
        await server.listen();
        const { value, error } = await browser.run(server.resolvedUrls.local[0], result);
        assert.equal(error, undefined);
        assert.deepEqual(value, inPage);
      });
    });
  }
});
