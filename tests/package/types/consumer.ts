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
