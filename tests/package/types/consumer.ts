// What a program in TypeScript does with the package: this is compiled, not run.

import module from "lastword/lastword.wasm";
import { init, initSync, LastwordError, OutputFilter, OutputFilterStream } from "lastword";
import type { FilterOptions, FilterSpan } from "lastword";
import * as slim from "lastword/slim";

const options: FilterOptions = { rules: ["pii", "-phone"], style: { default: "label", card: "lastFour" }, patterns: [{ name: "order", pattern: /ORD-\d+/ }] };
const filter = new OutputFilter(options);
const text: string = filter.push("text") + filter.push(new Uint8Array()) + filter.flush();
const spans: FilterSpan[] = filter.spans;
const held: number = filter.counts.email ?? filter.held;
const bytes: ReadableStream<Uint8Array> = new ReadableStream<string>().pipeThrough(filter.transform({ bytes: true }));
const strings: ReadableStream<string> = new ReadableStream<Uint8Array>().pipeThrough(new OutputFilterStream());
const started: Promise<void> = init();

initSync(module);
slim.initSync(new Uint8Array());
new slim.OutputFilter().free();

try {
  filter.free();
} catch (error) {
  if (error instanceof LastwordError) console.log(error.code.toUpperCase(), error.message);
}

// @ts-expect-error: no such style
new OutputFilter({ style: "loud" });
// @ts-expect-error: a text or bytes
filter.push(1);
// @ts-expect-error: it must be given to start at once
initSync();

console.log(text, spans, held, bytes, strings, started);

// The parts that make an edge proxy.

import { cancel, createHandler, memory, replay, respond } from "lastword";
import type { Outcome, RespondOptions, Store, Wire } from "lastword";

declare const upstream: Response;
const store: Store = memory();
const wire: Wire = "ag-ui";
const how: RespondOptions = { from: "chat-completions", to: wire, store, thread: "t", run: "r", filter: { rules: ["pii"] }, public: { thinking: true }, heartbeat: 1000 };
const { response, done }: { response: Response; done: Promise<Outcome> } = respond(upstream, how);
const again: Response = replay({ store, thread: "t", run: "r", after: "3" }).response;
const stopped: Promise<string> = cancel({ store, thread: "t", run: "r" });
const handler: (request: Request) => Promise<Response> = createHandler({ store, upstream: async (request, { signal }) => fetch("http://127.0.0.1/", { signal, method: "POST", body: JSON.stringify(request) }) });

async function* objects() {
  yield { type: "text-delta", id: "1", text: "a" };
}
const ended = (await respond(objects(), { from: "ai-sdk", headers: { "x-from": "here" }, signal: new AbortController().signal }).done).status === "succeeded";

// @ts-expect-error: no such wire
respond(upstream, { to: "morse" });
// @ts-expect-error: milliseconds
respond(upstream, { heartbeat: "15s" });
// @ts-expect-error: a run is found by its store, thread and run
replay({ store, thread: "t" });
// @ts-expect-error: nothing is a store that can't save
respond(upstream, { store: { load: store.load } });

console.log(response, done, again, stopped, handler, ended);
