// The stores of Cloudflare in workerd: by Miniflare, for whatever Worker, or in front of a key-value store of a test's own.

import { spawn } from "node:child_process";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { build } from "esbuild";
import { convertV4MiniflareOptions, Log, LogLevel, Miniflare } from "miniflare";
import workerd from "workerd";
import { inside } from "../../../js/scripts/lib/paths.mjs";
import { children } from "../../../js/scripts/serve.mjs";
import { remote } from "./store-calls.mjs";
import { removeFolder, stateFolder } from "./worker.mjs";

const DATE = "2026-11-17";

async function bundle(folder = "store-worker") {
  const options = { bundle: true, format: "esm", target: "es2022", external: ["cloudflare:*", "*.wasm"], write: false };
  const { outputFiles } = await build({ entryPoints: [inside("tests/node/lib", folder, "worker.mjs")], ...options });
  return outputFiles[0].text;
}

const post = (url, path) => async (body) => {
  const response = await fetch(`${url()}/${path}`, { method: "POST", body });
  if (!response.ok) throw new Error(`${response.status}: ${(await response.text()).slice(0, 200)}`);
  return response.text();
};

/**
 * Starts the Worker of that folder with all its state on the disk, and with these modules besides. `restart()` ends it as a power cut would and starts it again;
 * `store(path, traits)` is a store of it whose calls are requests.
 */
export async function startStoreWorker({ worker: from, modules = [] } = {}) {
  const folder = await stateFolder();
  const contents = await bundle(from);
  let miniflare;
  let pid;
  let url;
  const start = async () => {
    const worker = {
      name: "stores",
      compatibilityDate: DATE,
      modules: [{ type: "ESModule", path: "index.js", contents }, ...modules],
      kvNamespaces: ["KV"],
      durableObjects: { TABLE: { className: "Table", useSQLite: true }, KEYS: { className: "Keys" } },
    };
    const before = new Set(children());
    miniflare = new Miniflare({
      ...convertV4MiniflareOptions({ workers: [worker] }),
      host: "127.0.0.1",
      port: 0,
      cf: false,
      log: new Log(LogLevel.NONE),
      resourcePersistencePath: folder,
    });
    url = (await miniflare.ready).origin;
    pid = children().find((child) => !before.has(child));
  };
  await start();
  return {
    ask: async (path) => (await fetch(`${url}/${path}`)).json(),
    fetch: (path, options) => fetch(`${url}/${path}`, options),
    store: (path, traits) => remote(post(() => url, path), traits),
    async restart() {
      process.kill(pid, "SIGKILL");
      await miniflare.dispose();
      await start();
    },
    async stop() {
      await miniflare.dispose();
      await removeFolder(folder);
    },
  };
}

/** The Worker in bare workerd, whose namespace is a `BadKv`: a store whose calls are requests, `query` with its options. */
export async function startStoreOver(kv, query = "") {
  const folder = await stateFolder();
  await writeFile(join(folder, "index.js"), await bundle());
  await writeFile(join(folder, "config.capnp"), capnp(await kv.serve("here")));
  const child = spawn(workerd.default, ["serve", join(folder, "config.capnp"), "--control-fd=3"], { stdio: ["ignore", "ignore", "inherit", "pipe"] });
  const over = new Promise((done) => child.on("close", done));
  const told = await new Promise((done, fail) => {
    child.stdio[3].once("data", done);
    over.then(() => fail(new Error("workerd did not start")));
  });
  const url = `http://127.0.0.1:${JSON.parse(told).port}`;
  return {
    store: remote(post(() => url, `kv${query}`)),
    async stop() {
      child.kill("SIGKILL");
      await over;
      await removeFolder(folder);
      kv.stop();
    },
  };
}

const capnp = (port) => `
using Workerd = import "/workerd/workerd.capnp";
const config :Workerd.Config = (
  services = [
    (name = "main", worker = (
      modules = [(name = "index.js", esModule = embed "index.js")],
      compatibilityDate = "${DATE}",
      durableObjectNamespaces = [(className = "Table", uniqueKey = "table", enableSql = true), (className = "Keys", uniqueKey = "keys")],
      durableObjectStorage = (inMemory = void),
      bindings = [(name = "KV", kvNamespace = "kv")],
    )),
    (name = "kv", external = (address = "127.0.0.1:${port}", http = ())),
  ],
  sockets = [(name = "http", address = "127.0.0.1:0", http = (), service = "main")],
);
`;
