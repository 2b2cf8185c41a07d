// Edge functions as Vercel builds and runs them: by esbuild, with each WebAssembly module compiled by the host.

import { createHash } from "node:crypto";
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { readFile } from "node:fs/promises";
import http from "node:http";
import { join } from "node:path";
import { pipeline } from "node:stream/promises";
import esbuild from "esbuild";
import { required } from "./package.mjs";

const { EdgeRuntime } = required("edge-runtime");

/** An import with `?module` becomes a global that the host puts the compiled module into. */
const modules = (outdir) => ({
  name: "modules",
  setup(build) {
    build.onResolve({ filter: /\.wasm\?module$/ }, async ({ path, ...how }) => {
      const { path: found, errors } = await build.resolve(path.slice(0, -"?module".length), { ...how, kind: "import-statement" });
      return { path: found, errors, namespace: "module" };
    });
    build.onLoad({ filter: /.*/, namespace: "module" }, async ({ path }) => {
      const bytes = await readFile(path);
      const name = `wasm_${createHash("sha1").update(bytes).digest("hex")}`;
      mkdirSync(outdir, { recursive: true });
      writeFileSync(join(outdir, `${name}.wasm`), bytes);
      return { contents: `export default ${name};` };
    });
  },
});

/** Builds functions of a project into its folder `out`. `how` is told esbuild besides: what the functions are. */
export const buildEdge = (cwd, out, how) =>
  esbuild.build({
    absWorkingDir: cwd,
    bundle: true,
    minify: true,
    target: "es2022",
    conditions: ["edge-light"],
    plugins: [modules(join(cwd, out))],
    outdir: out,
    logLevel: "silent",
    ...how,
  });

/** A built function, in a runtime of its own. The host compiles its module: the function itself may compile none. */
export function edgeFunction(folder, name, globals = {}) {
  const files = readdirSync(folder).filter((file) => file.endsWith(".wasm"));
  const compiled = Object.fromEntries(files.map((file) => [file.slice(0, -5), new WebAssembly.Module(readFileSync(join(folder, file)))]));
  const initialCode = readFileSync(join(folder, `${name}.js`), "utf8");
  return new EdgeRuntime({ initialCode, extend: (context) => Object.assign(context, compiled, globals) });
}

/** Builds and serves the functions of a project's folder `api`, each in a runtime of its own. `env` are their variables. */
export async function serveEdge(cwd, env) {
  const names = readdirSync(join(cwd, "api")).map((file) => file.replace(/\.js$/, ""));
  for (const name of names) writeFileSync(join(cwd, `${name}.entry.js`), entry(name));
  await buildEdge(cwd, "dist", { entryPoints: Object.fromEntries(names.map((name) => [name, `${name}.entry.js`])) });
  const runtimes = new Map(names.map((name) => [name, edgeFunction(join(cwd, "dist"), name, { process: { env } })]));
  const server = http.createServer(async (request, reply) => {
    const runtime = runtimes.get(request.url.match(/^\/api\/(\w+)/)?.[1]);
    const body = request.method === "GET" ? undefined : Buffer.concat(await request.toArray());
    const { method, headers } = request;
    const response = await runtime.dispatchFetch(`http://${headers.host}${request.url}`, { method, headers, body });
    reply.writeHead(response.status, Object.fromEntries(response.headers));
    await pipeline(response.body, reply).catch(() => {});
  });
  await new Promise((done) => server.listen(0, "127.0.0.1", done));
  return { port: server.address().port, stop: () => new Promise((done) => (server.close(done), server.closeAllConnections())) };
}

/** A function's file, called as Vercel calls it. */
const entry = (name) => `
  import handler, { config } from "./api/${name}.js";
  if (config.runtime !== "edge") throw new Error("This is no edge function.");
  addEventListener("fetch", (event) => event.respondWith(handler(event.request, { waitUntil: (work) => event.waitUntil(work) })));
`;
