/** An event as a client reads it. */
export interface SseEvent {
  data: string;
  /** Its name; left out where the stream gave none, which clients read as `message`. */
  event?: string;
  /** The last id that the stream has given, in this event or in one before; left out while there is none. */
  id?: string;
  /** The reconnection time in milliseconds, if it states one. */
  retry?: number;
}

/** What is read: text or bytes, in pieces of any length. */
export type SsePieces = Response | ReadableStream<Uint8Array | string> | AsyncIterable<Uint8Array | string> | Iterable<Uint8Array | string>;

export interface SseDecoderOptions {
  /** The most UTF-16 units of one unfinished event: 16 Mi unless said. */
  maxEvent?: number;
}

/**
 * Decodes one event stream by the rules of the WHATWG HTML standard. The same stream gives the same events however it
 * is cut, each as soon as its blank line has ended.
 */
export class SseDecoder {
  constructor(options?: SseDecoderOptions);
  /**
   * Takes the stream's next piece and returns the events that it ends.
   * @throws {LastwordError} `event_too_large`, once what came before it was returned, and from then on.
   */
  push(chunk: Uint8Array | ArrayBuffer | string): SseEvent[];
  /** The stream is over: what no blank line has ended is no event. The decoder is then as new, for a reconnect, but for its last id. */
  flush(): void;
  /** The id to go on behind after a reconnect; empty if there was none. */
  readonly lastEventId: string;
  /** The reconnection time that the stream has asked for last, in milliseconds. */
  readonly retry: number | undefined;
  /** The events of a stream. */
  iterate(stream: SsePieces): AsyncGenerator<SseEvent, void, void>;
}

/** The events of a stream. */
export function decodeSse(stream: SsePieces, options?: SseDecoderOptions): AsyncGenerator<SseEvent, void, void>;

/** A frame as it is written. */
export interface SseFrame {
  /** The payload. Line ends are allowed, and all arrive as LF. */
  data: string;
  event?: string;
  id?: string;
  /** Whole milliseconds. */
  retry?: number;
}

/**
 * A frame of an event stream, with its blank line.
 * @throws {LastwordError} `invalid_frame` if the id or the event holds CR, LF or NUL.
 */
export function encodeSse(frame: SseFrame, options?: { bytes?: false }): string;
export function encodeSse(frame: SseFrame, options: { bytes: true }): Uint8Array;

export interface SseBodyOptions<Event> {
  /** An event's frame; a string is its data, nothing of nothing. The event as JSON unless said. */
  serialize?: (event: Event) => SseFrame | string | null | undefined;
  /** Silence on the wire before a heartbeat, in milliseconds: 15,000 unless said; 0 for none. The first byte is due at once. */
  heartbeat?: number;
  /** More headers. */
  headers?: ConstructorParameters<typeof Headers>[0];
  /** The last frame of a stream that broke, since `serialize` or the events have thrown: an `error`, `stream_interrupted`, unless said. */
  failure?: SseFrame | string;
  /** Is told what was thrown. No client is. */
  onError?: (error: unknown) => void;
  /** Is told that the client has gone. */
  onGone?: () => void;
  /** The request's: aborted, its client has gone. */
  signal?: AbortSignal;
}

/**
 * Drains events into the body of a response. They are asked for as the client takes them, and never cancelled: once the
 * client has gone they are read to their end all the same, and what they say is dropped.
 */
export class SseBody<Event = unknown> {
  constructor(events: AsyncIterable<Event> | Iterable<Event> | ReadableStream<Event>, options?: SseBodyOptions<Event>);
  /** The bytes. */
  readonly stream: ReadableStream<Uint8Array>;
  /** The headers of the response, names in lower case: those of every event stream, and the more that were given. */
  readonly headers: Record<string, string>;
  /** Resolves once the events are over, also if the client has gone before; whatever they ended in. For `waitUntil`. */
  readonly done: Promise<void>;
  response(init?: ResponseInit): Response;
}
