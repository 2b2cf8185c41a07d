// The package's types: what a program in TypeScript makes of them, and that they say what the sources and the module do.

import assert from "node:assert/strict";
import { mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, test } from "node:test";
import { inside } from "../../js/scripts/lib/paths.mjs";
import { filesIn } from "../../js/scripts/package.mjs";
import { output, project, tool, TOOLS } from "./lib/package.mjs";

const cwd = await project("types", { uses: ["@types/node", "@cloudflare/workers-types"] });

/** What the compiler finds wrong, as it says it. */
async function wrong(name, files, options) {
  const config = join(cwd, `${name}.json`);
  const compilerOptions = { target: "es2022", strict: true, noEmit: true, skipLibCheck: false, ...options };
  writeFileSync(config, JSON.stringify({ compilerOptions, files }));
  return output(tool("tsc"), ["-p", config], { cwd }).catch((error) => error.stdout);
}

describe("a program in TypeScript", () => {
  const resolutions = { bundler: "esnext", node16: "node16", nodenext: "nodenext" };
  const hosts = {
    "a browser": { lib: ["es2022", "dom"], types: [] },
    Node: { lib: ["es2022"], types: ["node"] },
    Workers: { lib: ["es2022"], types: ["@cloudflare/workers-types"] },
  };
  for (const [moduleResolution, module] of Object.entries(resolutions)) {
    test(`compiles with the resolution ${moduleResolution}`, async () => {
      for (const [host, options] of Object.entries(hosts)) {
        assert.equal(await wrong("consumer", ["consumer.ts"], { module, moduleResolution, exactOptionalPropertyTypes: true, ...options }), "", `for ${host}`);
      }
    });
  }

  test("compiles with `using`", async () => {
    assert.equal(await wrong("using", ["using.ts"], { module: "nodenext", lib: ["es2022", "esnext.disposable", "dom"], types: [] }), "");
  });

  test("compiles with what AG-UI's types describe", async () => {
    mkdirSync(join(cwd, "node_modules/@ag-ui"));
    for (const name of ["@ag-ui/core", "zod"]) symlinkSync(inside("node_modules", name), join(cwd, "node_modules", name));
    assert.equal(await wrong("ag-ui", ["ag-ui.ts"], { module: "nodenext", lib: ["es2022", "dom"], types: [], skipLibCheck: true }), "");
  });

  test("compiles in Deno", async () => {
    await output(tool("deno"), ["check", "consumer.ts"], { cwd, env: { DENO_DIR: inside("target/deno"), NO_COLOR: "1" } });
  });
});

describe("the package's sources", () => {
  const SOURCE = inside("js/lastword");
  const names = filesIn(SOURCE).filter((name) => name.endsWith(".mjs"));
  /** `import source` and imports of bytes are Deno's and Bun's alone. */
  const checked = names.filter((name) => !["deno.mjs", "bun.mjs"].includes(name));
  /** The types of what wasm-bindgen has written stand for what is built beside the sources. */
  const options = {
    module: "nodenext",
    lib: ["es2024", "dom", "dom.iterable", "dom.asynciterable", "esnext.disposable"],
    types: ["node"],
    typeRoots: [join(TOOLS, "@types")],
    allowJs: true,
    checkJs: true,
    noImplicitAny: false,
    rootDirs: [SOURCE, inside("build/glue-npm")],
  };

  test("are right by the types of the module", async () => {
    assert.equal(await wrong("sources", ["check.d.ts", ...checked.map((name) => join(SOURCE, name))], options), "");
  });

  test("do what their own types say", async () => {
    const typed = filesIn(SOURCE).filter((name) => name.endsWith(".d.ts") && names.includes(name.replace(/\.d\.ts$/, ".mjs")));
    const held = typed.map((name) => name.replace(/\.d\.ts$/, "")).map((name, at) => [
      `import * as source${at} from ${JSON.stringify(join(SOURCE, `${name}.mjs`))};`,
      `import type * as types${at} from ${JSON.stringify(join(SOURCE, `${name}.js`))};`,
      `export const same${at}: typeof types${at} = source${at};`,
    ]);
    assert.ok(held.length >= 4);
    writeFileSync(join(cwd, "same.ts"), held.flat().join("\n"));
    assert.equal(await wrong("same", ["check.d.ts", "same.ts"], options), "");
  });
});
