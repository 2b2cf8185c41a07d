// Serves the built Worker for a person at a terminal. Started by start.mjs under the Node of the lock file.

import { inside } from "./lib/paths.mjs";
import { main, onEnd, say } from "./lib/run.mjs";
import { environment, serve } from "./serve.mjs";

await main(async () => {
  const port = Number(process.env.PORT ?? 8787);
  const vars = { LASTWORD_DEV: "1", ...environment() };
  const server = await serve({ port, vars, persist: inside(".state") });
  let stopping;
  onEnd(() => (stopping ??= server.stop().then(() => process.exit(0))));
  await healthy(server.url);
  say(`Lastword serves ${server.url} (state in .state/, Ctrl-C ends it)`);
  console.log(examples(server.url));
});

async function healthy(url) {
  const response = await fetch(`${url}/health`);
  if (!response.ok) throw new Error(`GET /health answered ${response.status}`);
}

/** Three commands to paste: a run, its record, and what its operator sees. */
function examples(url) {
  const run = `run-${Date.now()}`;
  const input = {
    threadId: "thread-1",
    runId: run,
    messages: [{ id: "m1", role: "user", content: "Where is my refund?" }],
    tools: [],
    context: [],
    state: {},
    forwardedProps: { model: "replay/narrated-refund" },
  };
  return `
A run over AG-UI, as the customer sees it:
  curl -N ${url}/agui -H 'content-type: application/json' -d '${JSON.stringify(input)}'

Its record:
  curl ${url}/v1/runs/${run}

Its events, as the operator sees them:
  curl -N '${url}/v1/runs/${run}/events?view=operator'
`;
}
