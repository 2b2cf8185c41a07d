/// <reference lib="esnext.disposable" />

/** What an output filter is to do. Everything has a default; `{}` removes what the default rules find. */
export interface FilterOptions {
  /** Switches of rules and groups: `["pii", "-phone"]`, where the later wins, or `{ pii: true, phone: false }`, where the narrower wins. `all` is every rule. */
  rules?: string[] | Record<string, boolean>;
  /** Values that must never leave, with their encodings: at least six bytes each. */
  values?: (string | { name?: string; value: string })[];
  /** Terms that must never leave, as whole words, whatever their case. */
  blocklist?: string[];
  /** Patterns of your own. */
  patterns?: FilterPattern[];
  /** What stands in the place of what was removed; by rule or group if it is to differ. */
  style?: FilterStyle | ByRule<FilterStyle>;
  /** The key of the style `token`. */
  key?: string;
  /** The most bytes that may be held back for one candidate: 256 unless said, at most 4096. */
  maxHold?: number | ByRule<number>;
  /** What becomes of a candidate that would hold back more: `redact` unless said. */
  overflow?: FilterOverflow | ByRule<FilterOverflow>;
  /** What may leave although a rule matches it: exact values, and hosts of images and links (`*.example.com`). */
  allow?: { values?: string[]; images?: string[]; links?: string[] };
  /** What becomes of links whose host is not allowed. */
  links?: { stripQuery?: boolean; showTarget?: boolean };
  /** Invisible characters are removed: true unless said. */
  invisible?: boolean;
  /** Terminal escapes are removed: true unless said. */
  escapes?: boolean;
  /** `redact` replaces what matches, `block` ends the text before it, `dryRun` only counts. */
  mode?: "redact" | "block" | "dryRun";
}

export interface FilterPattern {
  /** The name of its rule: lower case, with `_`. */
  name: string;
  /** A subset of JavaScript's syntax. Of a `RegExp` the flag `i` counts; `m`, `s`, `v` and `y` are refused. */
  pattern: string | RegExp;
  style?: FilterStyle;
  maxHold?: number;
  overflow?: FilterOverflow;
}

/** `label` is `[REDACTED:email]`; `sameLength` asterisks; `lastFour` asterisks and the last four; `token` a keyed hash. */
export type FilterStyle = "label" | "sameLength" | "lastFour" | "token" | { fixed: string };

export type FilterOverflow = "redact" | "release" | "abort";

/** By the names of rules and groups, with a `default`. */
export type ByRule<T> = Record<string, T>;

/** Where a rule has matched, in bytes as UTF-8 of the text without invisible characters, escapes and links that were removed. */
export interface FilterSpan {
  rule: string;
  start: number;
  end: number;
}

/** A filter over one text at a time. What it gives does not depend on how the text was cut. */
export class OutputFilter {
  /** @throws {LastwordError} `invalid_filter` if the options are not valid; the message says where. */
  constructor(options?: FilterOptions);
  /** Takes a piece of the text, and returns what may leave now. Bytes are decoded over pieces. */
  push(piece: string | Uint8Array | ArrayBuffer): string;
  /** Ends the text, and returns what was held back. The filter is then as new. */
  flush(): string;
  /** Drops what is held back. The filter is then as new. */
  abort(): void;
  /** How often each rule has matched since the filter was made, by its name. */
  readonly counts: Record<string, number>;
  /** Where rules have matched in the last text: the first thousand. */
  readonly spans: FilterSpan[];
  /** True once the filter has ended the text, since something matched in mode `block`. */
  readonly blocked: boolean;
  /** How many bytes are held back now. */
  readonly held: number;
  /** A stream of strings or bytes to strings. It begins as new; cancelled or aborted it drops what is held back. */
  transform(options?: { bytes?: false }): TransformStream<string | Uint8Array, string>;
  /** The same, to bytes. */
  transform(options: { bytes: true }): TransformStream<string | Uint8Array, Uint8Array>;
  /** Frees what the filter takes of the module's memory. It can't be used after that. */
  free(): void;
  [Symbol.dispose](): void;
}

/** A filter as a pair of streams: `source.pipeThrough(new OutputFilterStream(options))`. */
export class OutputFilterStream<T extends string | Uint8Array = string> {
  constructor(options?: FilterOptions | OutputFilter, how?: { bytes?: boolean });
  readonly filter: OutputFilter;
  readonly readable: ReadableStream<T>;
  readonly writable: WritableStream<string | Uint8Array>;
}
