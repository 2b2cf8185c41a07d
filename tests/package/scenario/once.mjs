// One run, whoever asks for it and however often: what `respond` makes of a store that many share.

const ANSWER = "The money is on its way.";
const SIGNALS = [{ type: "item_start" }, ...ANSWER.match(/.{1,3}/gs).map((delta) => ({ type: "text", delta })), { type: "item_end" }, { type: "response_end" }];

/** Where what happens more than once would be seen. */
export class Upstream {
  executions = 0;

  /** A stream that counts as executed once it is read. */
  open(pause = () => undefined) {
    const left = SIGNALS.map((signal) => `data: ${JSON.stringify(signal)}\n\n`);
    const encoder = new TextEncoder();
    let read = false;
    return new ReadableStream(
      {
        pull: async (to) => {
          if (!read) this.executions += 1;
          read = true;
          await pause(left.length);
          if (left.length === 0) return to.close();
          to.enqueue(encoder.encode(left.shift()));
        },
      },
      { highWaterMark: 0 },
    );
  }
}

const sleep = (span) => new Promise((resolve) => setTimeout(resolve, span));
let names = 0;
const fresh = (kind) => `${kind}-${Date.now().toString(36)}-${(names += 1)}`;

/** What a client of the UI stream shows. */
const said = (body) =>
  body
    .split("\n")
    .filter((line) => line.startsWith('data: {"type":"text-delta"'))
    .map((line) => JSON.parse(line.slice(6)).delta)
    .join("");

/** Fifty callers ask for one run at once, each over a store of its own on the same data. */
export async function race({ respond }, stores) {
  const upstream = new Upstream();
  const options = { from: "signals", to: "ui-stream", thread: fresh("thread"), run: fresh("run") };
  const callers = Array.from({ length: 50 }, (_, at) => respond(upstream.open(() => sleep(2)), { ...options, store: stores[at % stores.length] }));
  const bodies = await Promise.all(callers.map(({ response }) => response.text()));
  const outcomes = await Promise.all(callers.map(({ done }) => done));
  return {
    executions: upstream.executions,
    answers: [...new Set(bodies.map(said))],
    outcomes: [...new Set(outcomes.map(({ status, answer }) => `${status}: ${answer}`))],
  };
}

export const raced = { executions: 1, answers: [ANSWER], outcomes: [`succeeded: ${ANSWER}`] };

/** Each save's answer is lost once, before or after it was written: the run must come out the same, once. */
export async function uncertain({ respond, replay, setLog }, open, faulty) {
  setLog(false);
  const results = new Set();
  for (const fault of ["uncertain-before", "uncertain-after", "unavailable"]) {
    for (let at = 0; ; at++) {
      let saves = 0;
      let struck = false;
      const plan = ({ operation }) => {
        if (operation !== "save" || struck || saves++ !== at) return undefined;
        struck = true;
        return fault;
      };
      const upstream = new Upstream();
      const name = { thread: fresh("thread"), run: fresh("run") };
      const { response, done } = respond(upstream.open(), { from: "signals", to: "ui-stream", store: faulty(await open(), plan), ...name });
      const body = await response.text();
      const { status, answer } = await done;
      const again = await replay({ to: "ui-stream", store: await open(), ...name }).response.text();
      results.add(JSON.stringify({ executions: upstream.executions, said: said(body), status, answer, again: said(again) }));
      if (!struck) break;
    }
  }
  setLog();
  return [...results].map((result) => JSON.parse(result));
}

export const certain = [{ executions: 1, said: ANSWER, status: "succeeded", answer: ANSWER, again: ANSWER }];

/** Begins a run that never ends, and tells once somebody has read of it: for a process that is killed then. */
export async function begin({ respond }, store, name) {
  const upstream = new Upstream();
  const { response } = respond(upstream.open((left) => (left < 5 ? new Promise(() => {}) : undefined)), { from: "signals", to: "ui-stream", store, lease: 1000, ...name });
  await response.body.getReader().read();
}

/** Reads a run whose process was killed, until it is known to have ended; then asks for it once more. */
export async function recover({ respond, replay, setLog }, store, name) {
  setLog(false);
  const { response, done } = replay({ to: "ui-stream", store, lease: 1000, heartbeat: 200, ...name });
  const body = await response.text();
  const { status, failure } = await done;
  const upstream = new Upstream();
  const again = await respond(upstream.open(), { from: "signals", to: "ui-stream", store, ...name }).done;
  setLog();
  return { status, code: failure?.code, said: said(body), executions: upstream.executions, again: again.status };
}

export const recovered = { status: "failed", code: "worker_lost", said: "", executions: 0, again: "failed" };
