/** What went wrong. `code` is stable, `message` is for people. */
export class LastwordError extends Error {
  constructor(code: string, message: string, options?: { cause?: unknown });
  readonly code: string;
}
