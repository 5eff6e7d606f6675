import type { ServerSession } from '../session/server-session.js';

/** Closes the sessions of this process when it has died without doing so. */
export interface SessionGuard {
  /** @param warn called with what keeps it from its work */
  open(warn: (message: string) => void): void;
  /** Call it for each session before its first connection. */
  watch(session: ServerSession): void;
  /** Call it once, when the sessions are closed. */
  close(): Promise<void>;
}
