import type { Reader } from "./reader.js";

export type { Reader } from "./reader.js";
export type { Signal } from "../decode.js";

export type AdapterName = "ai-sdk" | "openai-agents" | "ag-ui" | "langgraph" | "signals";

/** What the core is to read an adapter's objects as. */
export type AdapterFormat = "signals" | "ag-ui";

export interface Adapter {
  readonly name: AdapterName;
  readonly format: AdapterFormat;
  reader(): Reader;
}

/** A stream of objects: an async or a plain iterable, or a `ReadableStream`. */
export type Objects = AsyncIterable<unknown> | Iterable<unknown> | ReadableStream<unknown>;

/** The names of all adapters. */
export const NAMES: readonly AdapterName[];

/**
 * The adapter of that name.
 * @throws {LastwordError} `invalid_input` if there is none.
 */
export function adapter(name: AdapterName): Adapter;

/**
 * The name of the adapter that an object is for, by what the first object of a stream looks like.
 * @throws {LastwordError} `upstream_malformed` if no adapter knows it.
 */
export function detect(object: unknown): AdapterName;

/**
 * Objects as an event stream.
 * @throws {LastwordError} `upstream_malformed` if one of them can't be written as JSON.
 */
export function encode(objects: readonly object[]): Uint8Array;

/** Opens a stream of objects. With `auto` it is known once the first object has come whose they are. */
export function open(source: Objects, from?: AdapterName | "auto"): Promise<Opened>;

export interface Opened {
  readonly name: AdapterName;
  readonly format: AdapterFormat;
  /**
   * The bytes for the core, a chunk an object at most. They never throw: what went wrong is in them. Behind the turn's end
   * there are none, but read on the framework has time to end too; to stop reading lets its stream go.
   */
  readonly chunks: AsyncGenerator<Uint8Array, void, void>;
  /** What was thrown, by the stream or since an object of it is none of the adapter's. */
  readonly fault: unknown;
}
