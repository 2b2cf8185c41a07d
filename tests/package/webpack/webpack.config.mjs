// Nothing here is for the package: webpack finds the module by itself.

import { fileURLToPath } from "node:url";

const path = (name) => fileURLToPath(new URL(name, import.meta.url));

export default [
  { mode: "production", target: "web", entry: { page: "./page.mjs" }, output: { path: path("dist-web") } },
  { mode: "production", target: "node", entry: { main: "./main.mjs" }, output: { path: path("dist-node"), filename: "[name].cjs" } },
];
