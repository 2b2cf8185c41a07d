// `respond` and `createHandler`: a scripted upstream on one side, a client's stream on the other.

const EMAIL = ["ana.souza", "firma.com.br"].join("@");
const ANSWER = `It was sent to ${EMAIL} today.`;
const CLEAN = "It was sent to [REDACTED:email] today.";
const WIRES = ["canonical", "ag-ui", "responses", "chat-completions", "ui-stream", "messages"];

export const expected = {
  answers: Object.fromEntries(WIRES.map((wire) => [wire, { text: CLEAN, leaks: false, status: "succeeded", answer: CLEAN }])),
  cut: { status: "failed", code: "upstream_unavailable", leaks: false },
  heartbeat: { before: true, text: CLEAN },
  disconnect: { status: "succeeded", answer: CLEAN, replayed: CLEAN, read: true },
  cancel: { status: "cancelled", cancelled: 1, last: "RUN_ERROR", code: "cancelled" },
  joined: { text: CLEAN, read: 0, status: "succeeded" },
  replay: { equal: true, tail: true },
  refused: { status: "refused", code: "thread_busy", last: "RUN_ERROR" },
  errors: ["invalid_options", "invalid_options", "invalid_options"],
  handler: { status: 200, health: true, text: CLEAN, again: CLEAN, unknown: 404 },
};

export async function run(lastword) {
  lastword.setLog(false);
  try {
    return await all(lastword);
  } finally {
    lastword.setLog();
  }
}

async function all({ respond, replay, createHandler, memory, LastwordError }) {
  const answers = {};
  for (const to of WIRES) {
    const { response, done } = respond(turn().body, { from: "signals", to });
    const body = await response.text();
    const { status, answer } = await done;
    answers[to] = { text: said(to, body), leaks: leaks(body), status, answer };
  }
  return {
    answers,
    cut: await cut(respond),
    heartbeat: await heartbeat(respond),
    disconnect: await disconnect(respond, replay, memory()),
    cancel: await cancel(respond),
    joined: await joined(respond, memory()),
    replay: await replayed(respond, replay, memory()),
    refused: await refused(respond, memory()),
    errors: [{ to: "morse" }, { heartbeat: 0 }, { limits: { run: -1 } }].map((options) => code(() => respond("", options), LastwordError)),
    handler: await handled(createHandler),
  };
}

/** What the model says: narration, an apology, and the answer in small pieces that cut the address. */
const SIGNALS = [
  { type: "item_start", phase: "commentary" },
  { type: "text", delta: "Let me look that up with the internal tool." },
  { type: "item_end" },
  { type: "provider_tool", name: "internal tool" },
  { type: "item_start" },
  ...ANSWER.match(/.{1,4}/gs).map((delta) => ({ type: "text", delta })),
  { type: "item_end" },
];
const END = { type: "response_end" };
const frame = (signal) => `data: ${JSON.stringify(signal)}\n\n`;

/** A stream of bytes that gives frames when they are asked for, and knows what was done to it. */
function turn({ signals = [...SIGNALS, END], pause = () => undefined } = {}) {
  const state = { read: 0, cancelled: 0 };
  const encoder = new TextEncoder();
  const left = [...signals];
  state.body = new ReadableStream(
    {
      async pull(to) {
        await pause(left.length);
        state.read += 1;
        if (left.length === 0) return to.close();
        to.enqueue(encoder.encode(frame(left.shift())));
      },
      cancel: () => void (state.cancelled += 1),
    },
    { highWaterMark: 0 },
  );
  return state;
}

const sleep = (span) => new Promise((resolve) => setTimeout(resolve, span));
const leaks = (body) => /internal tool|souza/.test(body);
const events = (body) => body.split("\n").filter((line) => line.startsWith("data: {")).map((line) => JSON.parse(line.slice(6)));

/** The text that a client of the wire shows. */
function said(to, body) {
  const deltas = {
    canonical: (event) => (event.type === "content" ? event.delta : ""),
    "ag-ui": (event) => (event.type === "TEXT_MESSAGE_CONTENT" ? event.delta : ""),
    responses: (event) => (event.type === "response.output_text.delta" ? event.delta : ""),
    "chat-completions": (event) => event.choices?.[0]?.delta?.content ?? "",
    "ui-stream": (event) => (event.type === "text-delta" ? event.delta : ""),
    messages: (event) => (event.type === "content_block_delta" ? event.delta.text : ""),
  };
  return events(body).map(deltas[to]).join("");
}

async function cut(respond) {
  const { response, done } = respond(turn({ signals: SIGNALS }).body, { from: "signals", to: "ag-ui" });
  const body = await response.text();
  const { status, failure } = await done;
  return { status, code: failure.code, leaks: leaks(body) };
}

async function heartbeat(respond) {
  const { body } = turn({ pause: (left) => left === 1 && sleep(150) });
  const { response } = respond(body, { from: "signals", to: "ag-ui", heartbeat: 20 });
  const text = await response.text();
  return { before: /^: *\w*\n\n/m.test(text.slice(0, text.indexOf("TEXT_MESSAGE_START"))), text: said("ag-ui", text) };
}

async function disconnect(respond, replay, store) {
  const upstream = turn({ pause: () => sleep(2) });
  const { response, done, run, thread } = respond(upstream.body, { from: "signals", to: "ag-ui", store });
  const reader = response.body.getReader();
  await reader.read();
  await reader.cancel();
  const { status, answer } = await done;
  const again = replay({ store, run, thread, to: "ui-stream" });
  return { status, answer, replayed: said("ui-stream", await again.response.text()), read: upstream.read > SIGNALS.length };
}

async function cancel(respond) {
  const stop = new AbortController();
  const upstream = turn({ pause: (left) => (left < 3 ? new Promise(() => {}) : undefined) });
  const { response, done } = respond(upstream.body, { from: "signals", to: "ag-ui", signal: stop.signal });
  setTimeout(() => stop.abort(), 30);
  const last = events(await response.text()).at(-1);
  const { status } = await done;
  return { status, cancelled: upstream.cancelled, last: last.type, code: last.code };
}

async function joined(respond, store) {
  const options = { from: "signals", to: "responses", store, thread: "thread-1", run: "run-1" };
  await respond(turn().body, options).done;
  const second = turn();
  const { response, done } = respond(second.body, options);
  return { text: said("responses", await response.text()), read: second.read, status: (await done).status };
}

async function replayed(respond, replay, store) {
  const options = { to: "canonical", store, thread: "thread-1", run: "run-1" };
  const first = await respond(turn().body, { from: "signals", ...options }).response.text();
  const whole = await replay({ ...options, after: "0" }).response.text();
  const [second] = first.match(/(?<=\n\n)id: \d+/);
  const tail = await replay({ ...options, after: second.slice(4) }).response.text();
  return { equal: whole === first, tail: tail.length > 0 && first.endsWith(tail) && !tail.includes(`${second}\n`) };
}

async function refused(respond, store) {
  const options = { from: "signals", to: "ag-ui", store, thread: "thread-1" };
  const stop = new AbortController();
  const first = respond(turn({ pause: () => new Promise(() => {}) }).body, { ...options, signal: stop.signal });
  await first.response.body.getReader().read();
  const second = respond(turn().body, options);
  const last = events(await second.response.text()).at(-1);
  const { status, failure } = await second.done;
  stop.abort();
  await first.done;
  return { status, code: failure.code, last: last.type };
}

async function handled(createHandler) {
  const handler = createHandler({ dev: true, upstream: () => turn().body, from: "signals", basePath: "/ai" });
  const get = (path) => handler(new Request(`http://test${path}`));
  const post = () =>
    handler(
      new Request("http://test/ai/agui", {
        method: "POST",
        headers: { "content-type": "application/json" },
        body: JSON.stringify({ threadId: "t", runId: "r", messages: [{ id: "m", role: "user", content: "Where is it?" }] }),
      }),
    );
  const first = await post();
  const { status } = first;
  const text = said("ag-ui", await first.text());
  const health = typeof (await (await get("/ai/health")).json()).version === "string";
  const again = await (await get("/ai/v1/runs/r/events")).text();
  return { status, health, text, again: said("canonical", again), unknown: (await get("/ai/v1/runs/nobody")).status };
}

function code(action, LastwordError) {
  try {
    action();
    return "nothing was thrown";
  } catch (error) {
    return error instanceof LastwordError ? error.code : String(error);
  }
}
