// What can go wrong, for all files here: those that need no module too.

/** What went wrong. `code` is stable, `message` is for people. */
export class LastwordError extends Error {
  constructor(code, message, options) {
    super(message, options);
    this.name = "LastwordError";
    this.code = code;
  }
}
