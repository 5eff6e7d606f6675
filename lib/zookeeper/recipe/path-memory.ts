import { dropOldest } from '../../locking/drop-oldest.js';
import type { ServerSession } from '../session/server-session.js';

/** Lock paths that are remembered for each session. One that is forgotten costs a request. */
const MOST_PATHS = 10_000;

/**
 * What each session knows of its lock paths. Forgotten when the connection ends: the next server may have lost what this
 * one has told.
 */
export class PathMemory<T> {
  readonly #bySession = new WeakMap<ServerSession, Map<string, T>>();

  get(session: ServerSession, lockPath: string): T | undefined {
    return this.#bySession.get(session)?.get(lockPath);
  }

  /** Forgets it. */
  take(session: ServerSession, lockPath: string): T | undefined {
    const known = this.#bySession.get(session);
    const last = known?.get(lockPath);
    known?.delete(lockPath);
    return last;
  }

  /** Forgets this value, but none that was put since. */
  drop(session: ServerSession, lockPath: string, value: T): void {
    if (this.get(session, lockPath) === value) this.take(session, lockPath);
  }

  put(session: ServerSession, lockPath: string, value: T): void {
    if (!session.isConnected) return;
    const known = this.#bySession.get(session) ?? this.#begin(session);
    known.delete(lockPath);
    known.set(lockPath, value);
    dropOldest(known, MOST_PATHS);
  }

  #begin(session: ServerSession): Map<string, T> {
    const known = new Map<string, T>();
    this.#bySession.set(session, known);
    session.observe({ disconnected: () => known.clear() });
    return known;
  }
}
