/** The client that a piece of code serves, such as the client of an HTTP request. */
export interface Caller {
  /** Aborts when the client disconnects before it has a response; undefined if it has one. */
  readonly signal: AbortSignal | undefined;
}
