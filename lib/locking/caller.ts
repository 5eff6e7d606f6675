/** The client that a piece of code serves, such as the client of an HTTP request. */
export interface Caller {
  /** Aborts when the client disconnects before it has a response; undefined if it has one. */
  readonly signal: AbortSignal | undefined;
  /** The signal is that of one request. Others may be those of a client that sends many at the same time. */
  readonly hasOneRequest: boolean;
}
