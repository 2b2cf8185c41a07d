// As Next.js builds edge functions: an import with `?module` becomes a global that the host puts the compiled module into.

import { fileURLToPath } from "node:url";

export default {
  mode: "production",
  target: "webworker",
  entry: { function: "./function.mjs", slim: "./slim.mjs" },
  output: { path: fileURLToPath(new URL("dist-webpack", import.meta.url)), filename: "[name].js" },
  resolve: { conditionNames: ["edge-light", "import", "module"] },
  module: {
    rules: [{ test: /\.wasm$/, resourceQuery: /module/, type: "javascript/auto", use: fileURLToPath(new URL("wasm-loader.cjs", import.meta.url)) }],
  },
};
