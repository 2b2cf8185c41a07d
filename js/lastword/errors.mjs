// What went wrong, for everything here. It needs no WebAssembly.

/** What went wrong. `code` is stable, `message` is for people. */
export class LastwordError extends Error {
  constructor(code, message, options) {
    super(message, options);
    this.name = "LastwordError";
    this.code = code;
  }
}

/** What a store throws from `save` or `delete` if surely nothing was written. */
export class NotWritten extends LastwordError {
  constructor(message = "The store has written nothing.", options) {
    super("store_unavailable", message, options);
    this.name = "NotWritten";
  }
}
