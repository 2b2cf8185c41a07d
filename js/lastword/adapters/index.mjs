// Streams of objects, as frameworks give them, as the bytes that the core reads.

import { LastwordError } from "../errors.mjs";
import * as agUi from "./ag-ui.mjs";
import * as aiSdk from "./ai-sdk.mjs";
import * as langgraph from "./langgraph.mjs";
import * as openaiAgents from "./openai-agents.mjs";
import * as signals from "./signals.mjs";
import { malformed } from "./teller.mjs";

/** @type {Map<string, Pick<import("./index.js").Adapter, "format" | "reader">>} */
const ADAPTERS = new Map(Object.entries({ "ai-sdk": aiSdk, "openai-agents": openaiAgents, "ag-ui": agUi, langgraph, signals }));

/** The names of all adapters. */
export const NAMES = /** @type {import("./index.js").AdapterName[]} */ ([...ADAPTERS.keys()]);

const encoder = new TextEncoder();

/** The adapter of that name: `{ name, format, reader() }`, where the format is what the core is to read its objects as. */
export function adapter(name) {
  const found = ADAPTERS.get(name);
  if (!found) throw new LastwordError("invalid_input", `There is no adapter of the name ${JSON.stringify(name)}. There are ${NAMES.join(", ")}.`);
  return { name, format: found.format, reader: found.reader };
}

/** The name of the adapter that an object is for, by what the first object of a stream looks like. */
export function detect(object) {
  const type = typeof object?.type === "string" ? object.type : "";
  if (Array.isArray(object) || (type === "" && typeof object?.event === "string")) return "langgraph";
  if (/^(raw_model_stream|run_item_stream|agent_updated_stream)_event$/.test(type)) return "openai-agents";
  if (/^[A-Z][A-Z_]*$/.test(type)) return "ag-ui";
  if (signals.isSignal(type)) return "signals";
  if (/^[a-z]+(-[a-z]+)*$/.test(type)) return "ai-sdk";
  throw malformed(`No adapter knows the first object of the stream. Name the one it is for: ${NAMES.join(", ")}.`);
}

/** Objects as an event stream. */
export function encode(objects) {
  try {
    return encoder.encode(objects.map((object) => `data: ${JSON.stringify(object)}\n\n`).join(""));
  } catch {
    throw malformed("An object of the stream can't be written as JSON.");
  }
}

/** An event that is of no format. */
const NOTHING = encode([{}]);

/**
 * Opens a stream of objects: an async or a plain iterable, or a `ReadableStream`. With `auto` it is known once the first
 * object has come whose they are.
 */
export async function open(source, from = "auto") {
  if (from !== "auto") return new Opened(source, adapter(from), iterator(source));
  const objects = iterator(source);
  const first = await settled(objects);
  try {
    const isKnown = !first.error && !first.result.done;
    return new Opened(source, adapter(isKnown ? detect(first.result.value) : "signals"), objects, first);
  } catch (error) {
    objects.return?.();
    throw error;
  }
}

/** A stream of objects whose adapter is known. */
class Opened {
  /** What was thrown, by the stream or since an object of it is none of the adapter's. */
  fault;
  #isBegun = false;

  constructor(source, { name, format, reader }, objects, first) {
    this.name = name;
    this.format = format;
    /** The bytes, a chunk an object at most. Read to the end they leave the framework time to end too. */
    this.chunks = this.#chunks(source, reader(), objects, first);
    // A generator that was never asked for anything ends without a word.
    const end = this.chunks.return.bind(this.chunks);
    this.chunks.return = async () => {
      if (!this.#isBegun) await objects.return?.();
      return end();
    };
  }

  async *#chunks(source, reader, objects, first) {
    this.#isBegun = true;
    let isDone = false;
    try {
      for (let next = first ?? (await settled(objects)); ; next = await settled(objects)) {
        isDone = Boolean(next.error) || next.result.done;
        if (next.error) this.fault = next.error[0];
        const told = next.error ? reader.fail(this.fault) : isDone ? reader.end(source) : reader.push(next.result.value);
        if (told.length > 0) yield encode(told);
        if (isDone) return;
      }
    } catch (error) {
      this.fault = error;
      yield NOTHING;
    } finally {
      if (!isDone) await objects.return?.();
    }
  }
}

/** What an iterator gives next, or what it throws: `{ result }` or `{ error: [what] }`. */
async function settled(objects) {
  try {
    return { result: await objects.next() };
  } catch (error) {
    return { error: [error] };
  }
}

function iterator(source) {
  if (source?.[Symbol.asyncIterator]) return source[Symbol.asyncIterator]();
  if (source?.getReader) return read(source.getReader());
  if (source?.[Symbol.iterator] && typeof source !== "string") return source[Symbol.iterator]();
  throw new LastwordError("invalid_input", "A stream of objects is an iterable or a ReadableStream.");
}

/** Not every browser's streams can be iterated. */
async function* read(reader) {
  let isDone = false;
  try {
    for (;;) {
      const result = await reader.read();
      isDone = result.done;
      if (isDone) return;
      yield result.value;
    }
  } finally {
    if (!isDone) await reader.cancel().catch(() => {});
  }
}
