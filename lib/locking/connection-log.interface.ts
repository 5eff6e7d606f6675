/** What an operator wants to know while there is no connection. */
export interface ConnectionLog {
  /** Connecting begins, for the first time. */
  connecting(): void;
  /** There is contact, for the first time or again. */
  connected(): void;
  /** `server` could not be reached; the next one is tried, for as long as it takes. */
  attemptFailed(server: string, cause: Error): void;
}
