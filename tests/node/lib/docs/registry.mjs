// A package registry of one package, on loopback: `npm install lastword` as it will be, of the tarball that is tested.

import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import http from "node:http";
import { inside } from "../../../../js/scripts/lib/paths.mjs";
import { packed } from "../package.mjs";

/** Starts it. `env` leads npm, Bun and Deno to it. */
export async function startRegistry() {
  const bytes = readFileSync(packed);
  const manifest = JSON.parse(readFileSync(inside("build/js/package.json"), "utf8"));
  const integrity = `sha512-${createHash("sha512").update(bytes).digest("base64")}`;
  const { name, version } = manifest;
  const server = http.createServer((request, response) => {
    if (request.url === `/${name}/-/${name}-${version}.tgz`) return response.end(bytes);
    if (request.url !== `/${name}`) return response.writeHead(404).end("{}");
    const dist = { tarball: `${origin}/${name}/-/${name}-${version}.tgz`, integrity };
    response.setHeader("content-type", "application/json");
    const time = { [version]: "2026-01-01T00:00:00.000Z" };
    response.end(JSON.stringify({ name, "dist-tags": { latest: version }, versions: { [version]: { ...manifest, dist } }, time }));
  });
  await new Promise((done) => server.listen(0, "127.0.0.1", done));
  const origin = `http://127.0.0.1:${server.address().port}`;
  return {
    env: { npm_config_registry: `${origin}/`, NPM_CONFIG_REGISTRY: `${origin}/`, BUN_CONFIG_REGISTRY: `${origin}/` },
    stop: () => new Promise((done) => (server.close(done), server.closeAllConnections())),
  };
}
