/** Logs the progress of connecting, for operators. Its methods never throw. */
export interface ConnectionLog {
  /** The first attempt to connect begins. */
  connecting(): void;
  /** There is a connection, for the first time or again. */
  connected(): void;
  /** Connecting to `server` failed; the next server is tried, without limit. */
  attemptFailed(server: string, cause: Error): void;
}
