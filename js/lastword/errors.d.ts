/** What went wrong. `code` is stable, `message` is for people. */
export class LastwordError extends Error {
  constructor(code: string, message: string, options?: { cause?: unknown });
  readonly code: string;
}

/** What a store throws from `save` or `delete` if surely nothing was written. Its code is `store_unavailable`. */
export class NotWritten extends LastwordError {
  constructor(message?: string, options?: { cause?: unknown });
}
