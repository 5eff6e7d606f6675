import type { ServerSession } from '../session/server-session.js';
import type { FormerHead } from './former-head.js';

/** Lock paths that are remembered for each session. One that is forgotten costs a list. */
const MOST_PATHS = 10_000;

/**
 * The last contender of each session that was the head of a queue, by lock path. Forgotten when the connection ends: the
 * next server may have lost what this one has told.
 */
export class FormerHeads {
  readonly #bySession = new WeakMap<ServerSession, Map<string, FormerHead>>();

  /** Takes it out: whoever joins the queue next is the one that follows it. */
  take(session: ServerSession, lockPath: string): FormerHead | undefined {
    const known = this.#bySession.get(session);
    const last = known?.get(lockPath);
    known?.delete(lockPath);
    return last;
  }

  /** Called when it leaves the queue. */
  put(session: ServerSession, lockPath: string, head: FormerHead): void {
    if (!session.isConnected) return;
    const known = this.#bySession.get(session) ?? this.#begin(session);
    known.delete(lockPath);
    known.set(lockPath, head);
    if (known.size <= MOST_PATHS) return;
    for (const oldest of known.keys()) {
      known.delete(oldest);
      return;
    }
  }

  #begin(session: ServerSession): Map<string, FormerHead> {
    const known = new Map<string, FormerHead>();
    this.#bySession.set(session, known);
    session.observe({ disconnected: () => known.clear() });
    return known;
  }
}
