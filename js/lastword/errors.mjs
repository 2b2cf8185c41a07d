// What goes wrong is said with a code. Imports nothing, so that what needs no module can throw it too.

/** What went wrong. `code` is stable, `message` is for people. */
export class LastwordError extends Error {
  constructor(code, message) {
    super(message);
    this.name = "LastwordError";
    this.code = code;
  }
}
