/** A reader of one stream of a framework's objects. Each function gives what is to be sent to the core. */
export interface Reader<Sent = object> {
  /**
   * Takes an object of the stream.
   * @throws {LastwordError} `upstream_malformed` if it is none of the framework's, or past a bound.
   */
  push(object: unknown): Sent[];
  /** The stream is over. `source` is what was read, which may know more than its objects say. */
  end(source?: unknown): Sent[];
  /** The stream threw. */
  fail(error: unknown): Sent[];
}
