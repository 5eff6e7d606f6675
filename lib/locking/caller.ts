/** Whom a piece of code works for: the client of an HTTP request, for instance. */
export interface Caller {
  /** Aborts when the caller leaves before it has been answered; undefined if it has been answered. */
  readonly signal: AbortSignal | undefined;
}
