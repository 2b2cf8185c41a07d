// Starts the model's server and Lastword in front of it, sends one turn over each wire by the client that people use for
// it, and prints what came, as it was. Started by e2e-model.mjs under the Node of the lock file.

import { spawn } from "node:child_process";
import { createServer } from "node:net";
import { wires } from "./e2e-model-wires.mjs";
import { Failure, main, onEnd, say, step } from "./lib/run.mjs";
import { serve } from "./serve.mjs";

const QUESTION = "Name three colours of the rainbow.";
const [venv] = process.argv.slice(2);

const stops = [];
const stop = async () => {
  for (const end of stops.splice(0).reverse()) await end();
};
onEnd(() => stop().then(() => process.exit(143)));

await main(async () => {
  try {
    await converse();
  } finally {
    await stop();
  }
});

async function converse() {
  const model = await step("the model's server", startModel);
  const vars = { LASTWORD_DEV: "1", LASTWORD_PROVIDER: "chat-completions", LASTWORD_UPSTREAM_URL: model, LASTWORD_MODEL: "local" };
  const lastword = await serve({ vars });
  stops.push(lastword.stop);
  say(`asked over every wire: ${QUESTION}`);
  const [bad, runs] = [[], []];
  for (const [wire, ask] of Object.entries(wires)) {
    const { answer, end, well, run } = await step(wire, () => ask(lastword.url, QUESTION));
    say(`${wire}: ${JSON.stringify(answer)}, ${end}`);
    if (!well || !answer.trim()) bad.push(wire);
    runs.push(run);
  }
  const get = async (path) => (await fetch(lastword.url + path)).text();
  say(`the record of the first: ${await get(`/v1/runs/${runs[0]}`)}`);
  console.log(`the operator's events of it:\n${await get(`/v1/runs/${runs[0]}/events?view=operator`)}`);
  if (bad.length > 0) throw new Failure(`no answer, or no good end: ${bad.join("; ")}`);
}

/** Returns the address of an OpenAI-compatible server. */
async function startModel() {
  const port = await freePort();
  const args = ["-m", "llama_cpp.server", "--model", `${venv}/model.gguf`, "--host", "127.0.0.1", "--port", port];
  const server = spawn(`${venv}/bin/python`, [...args, "--n_ctx", "256", "--chat_format", "gemma"], { stdio: "ignore" });
  stops.push(() => server.kill());
  const url = `http://127.0.0.1:${port}/v1`;
  for (let tries = 0; tries < 600; tries += 1) {
    if (server.exitCode !== null) break;
    if (await answers(`${url}/models`)) return url;
    await new Promise((wait) => setTimeout(wait, 200));
  }
  throw new Failure("the model's server did not start");
}

function answers(url) {
  return fetch(url).then((response) => response.ok, () => false);
}

function freePort() {
  return new Promise((found) => {
    const probe = createServer().listen(0, "127.0.0.1", () => {
      const { port } = probe.address();
      probe.close(() => found(port));
    });
  });
}
