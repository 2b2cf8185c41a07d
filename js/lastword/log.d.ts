/** A line of the log. It never holds a prompt, a key or a text. */
export interface LogLine {
  /** What happened: stable. */
  code: string;
  run?: string;
  /** Of what a client was told: the reference that it was given. */
  reference?: string;
  [detail: string]: unknown;
}

/** Gives each line of the log to `log`; `false` keeps none; `undefined` writes them to `console.error`. */
export function setLog(log?: ((line: LogLine) => void) | false): void;
