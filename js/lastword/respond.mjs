// A stream in, a client's streaming response out: publishing rule, redaction and record included.

import { ofInstance, unlessLost } from "./alive.mjs";
import { core } from "./core.mjs";
import { Space } from "./lastword.js";
import { LastwordError } from "./errors.mjs";
import { checked, optionError, settings, stays } from "./settings.mjs";
import { memory } from "./stores/memory.mjs";
import { formatOf, once } from "./upstream.mjs";

const HEADERS = {
  "content-type": "text/event-stream; charset=utf-8",
  "cache-control": "no-cache, no-transform",
  "x-accel-buffering": "no",
};

/** What a wire's clients look for besides. */
const MORE = { "ui-stream": { "x-vercel-ai-ui-message-stream": "v1" } };

const WIRES = ["canonical", "ag-ui", "responses", "chat-completions", "ui-stream", "messages"];

/**
 * Publishes the answer of an agent's turn. `upstream` is a `Response`, a stream or an iterable; the response streams to
 * the client, and `done` tells how the run ended, whether the client stays or not.
 */
export function respond(upstream, options = {}) {
  const asked = ask(options);
  const given = once(upstream, options.from ?? "auto");
  const { vars } = asked;
  const { signal, context } = options;
  const began = unlessLost(() => spaceOf(asked.store).respond(vars, asked.which, given, options.request?.signal, context)).then((told) => {
    if (told[1] !== true) given.cancel().catch(() => {});
    return told;
  });
  const stop = () => void began.then(() => cancelled(asked)).catch(() => {});
  const done = outcome(asked, began).finally(() => {
    signal?.removeEventListener("abort", stop);
    if (!options.store) letGo(asked.store);
  });
  if (signal?.aborted) stop();
  else signal?.addEventListener("abort", stop, { once: true });
  context?.waitUntil?.(done);
  return { run: asked.run, thread: asked.thread, response: streamed(began, asked), done };
}

/** The stream of a run that was begun before, from its beginning or behind the cursor `after`. */
export function replay(options) {
  const asked = ask(named(options));
  const began = unlessLost(() => spaceOf(asked.store).replay(asked.vars, asked.which));
  return { run: asked.run, thread: asked.thread, response: streamed(began, asked), done: outcome(asked, began) };
}

/** Cancels a run. Gives the status that it has then, or `asked` where another process has it. */
export async function cancel(options) {
  const asked = ask(named(options));
  try {
    return await cancelled(asked);
  } catch (error) {
    throw Array.isArray(error) ? optionError(error) : error;
  }
}

const cancelled = ({ store, vars, which }) => unlessLost(() => spaceOf(store).cancel(vars, which));

function named(options) {
  if (!options?.run || !options.thread || !options.store) {
    throw new LastwordError("invalid_options", "A run is found by its store, thread and run.");
  }
  return options;
}

/** The runs of each store. A store is known by its object. */
const spaces = ofInstance(() => new WeakMap());

function spaceOf(store) {
  const space = spaces().get(store) ?? new Space(store, stays());
  spaces().set(store, space);
  return space;
}

/** Lets go of a store that nobody can name again. The module would hold it for good; who still reads has it as long. */
function letGo(store) {
  spaces().get(store)?.free();
  spaces().delete(store);
}

/** What is asked, checked as far as it can be before anything is done. */
function ask(options) {
  core();
  const { to = "ui-stream", heartbeat = 15_000, scope = "", view = "customer" } = options;
  if (!WIRES.includes(to)) throw new LastwordError("invalid_options", `to must be one of ${WIRES.join(", ")}.`);
  if (!(heartbeat >= 1)) throw new LastwordError("invalid_options", "heartbeat must be milliseconds, at least 1.");
  const store = options.store ?? memory();
  const thread = options.thread ?? crypto.randomUUID();
  const run = options.run ?? crypto.randomUUID();
  const after = options.after ?? options.request?.headers.get("last-event-id") ?? undefined;
  const own = { LASTWORD_PROVIDER: formatOf(options.from ?? "auto"), LASTWORD_UPSTREAM: "given", LASTWORD_TOOLS: "client", LASTWORD_DEV: "1" };
  const vars = checked({ ...settings(options, store), ...own });
  // What is there already can be read once: there is nothing to ask for another step, and nothing to try again.
  Object.assign(vars, { LASTWORD_STEPS: "1", LASTWORD_RETRIES: "0" });
  const which = JSON.stringify({ scope, thread, run, to, operator: view === "operator", after, heartbeat: Math.round(heartbeat) });
  const headers = new Headers({ ...HEADERS, ...MORE[to] });
  for (const [name, value] of new Headers(options.headers)) headers.set(name, value);
  return { store, thread, run, vars, which, headers };
}

/** A response whose body begins once the run is known to be there. What is refused it says on its wire. */
function streamed(began, asked) {
  let reader;
  const pull = async (controller) => {
    if (!reader) {
      let told;
      try {
        told = await began;
      } catch (error) {
        throw Array.isArray(error) ? optionError(error) : error;
      }
      if (!told[0]) {
        controller.enqueue(new TextEncoder().encode(told[4]));
        return controller.close();
      }
      reader = told[0].body.getReader();
    }
    const { done, value } = await unlessLost(() => reader.read());
    if (done) controller.close();
    else controller.enqueue(value);
  };
  // Whoever cancels has nothing more to hear.
  const cancel = (reason) => began.then(([response]) => (reader ? reader.cancel(reason) : response?.body.cancel(reason))).catch(() => {});
  return new Response(new ReadableStream({ pull, cancel }, { highWaterMark: 0 }), { headers: asked.headers });
}

/**
 * How the run ended. It never rejects: nobody need look.
 * @returns {Promise<import("./respond.js").Outcome>}
 */
async function outcome(asked, began) {
  const { run, thread, store, vars, which } = asked;
  try {
    const told = await began;
    if (!told[0]) return { run, thread, status: "refused", failure: { code: told[2], message: told[3] } };
    return { run, thread, ...summary(await unlessLost(() => spaceOf(store).done(vars, which))) };
  } catch (error) {
    const { code = "internal", message } = Array.isArray(error) ? optionError(error) : /** @type {any} */ (error);
    return { run, thread, status: "unknown", failure: said({ code, message }) };
  }
}

/** What becomes of each type of event. */
const take = {
  content(told, { delta, refusal }) {
    told.answer = (told.answer ?? "") + delta;
    if (refusal) told.refusal = true;
  },
  content_withdrawn: (told) => delete told.answer,
  tool_call: (told, { call, name }) => (told.calls ??= []).push({ id: call, name, arguments: "" }),
  tool_call_args: (told, { call, delta }) => (told.calls.find(({ id }) => id === call).arguments += delta),
  task_completed: (told, { truncated, usage }) => Object.assign(told, said({ usage, truncated: truncated || undefined })),
  task_cancelled: (told, { usage }) => Object.assign(told, said({ usage })),
  task_failed: (told, { code, message, reference, usage }) => Object.assign(told, said({ usage, failure: said({ code, message, reference }) })),
  approval_requested: (told, { interrupts }) => Object.assign(told, said({ interrupts })),
};

/**
 * What there is something to say of.
 * @returns {any}
 */
const said = (fields) => Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined));

const ENDS = { task_completed: "succeeded", task_failed: "failed", task_cancelled: "cancelled", approval_requested: "interrupted" };

/**
 * What frames of the canonical wire come to.
 * @returns {Omit<import("./respond.js").Outcome, "run" | "thread">}
 */
function summary(frames) {
  /** @type {any} */
  const told = { status: "unknown" };
  for (const line of frames.split("\n")) {
    if (!line.startsWith("data: ")) continue;
    const event = JSON.parse(line.slice(6));
    if (event.type in ENDS) told.status = ENDS[event.type];
    take[event.type]?.(told, event);
  }
  return told;
}
