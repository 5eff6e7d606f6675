import type { Clock } from '../../../lib/locking/clock.js';
import { ExpiryQueue } from '../../../lib/testing/sessions/expiry-queue.js';
import type { Session } from '../../../lib/testing/sessions/session-table.js';

interface TrackedSession {
  readonly id: bigint;
  /** ms */
  timeout: number;
  /** The server whose writes count; after an election, the first one that sends any. */
  owner: number | undefined;
}

/** Whether a session may write: `moved` if it has gone on at another server. */
export type Standing = 'alive' | 'ended' | 'moved';

/** The leader's view of all sessions: it alone ends them. Like `LeaderSessionTracker`. */
export class SessionTracker {
  readonly #sessions = new Map<bigint, TrackedSession>();
  readonly #expiry: ExpiryQueue<TrackedSession>;

  constructor(clock: Clock, tickTime: number, expired: (session: bigint) => void) {
    this.#expiry = new ExpiryQueue(clock, tickTime, ({ id }) => {
      // No request can extend it any more, although its nodes are still there.
      this.#sessions.delete(id);
      expired(id);
    });
  }

  /** Its time begins now. */
  add({ id, timeout }: Pick<Session, 'id' | 'timeout'>, owner?: number): void {
    const session = { id, timeout, owner };
    this.#sessions.set(id, session);
    this.#expiry.touch(session, timeout);
  }

  remove(id: bigint): void {
    const session = this.#sessions.get(id);
    if (session === undefined) return;
    this.#sessions.delete(id);
    this.#expiry.remove(session);
  }

  /** False if the session does not exist. */
  touch(id: bigint, timeout: number): boolean {
    const session = this.#sessions.get(id);
    if (session === undefined) return false;
    session.timeout = timeout;
    this.#expiry.touch(session, timeout);
    return true;
  }

  /** A session goes on at `server`; false if the session does not exist. */
  resume(id: bigint, timeout: number, server: number): boolean {
    if (!this.touch(id, timeout)) return false;
    this.#sessions.get(id)!.owner = server;
    return true;
  }

  /** Whether a write that came through `server` counts. */
  standing(id: bigint, server: number): Standing {
    const session = this.#sessions.get(id);
    if (session === undefined) return 'ended';
    session.owner ??= server;
    return session.owner === server ? 'alive' : 'moved';
  }

  stop(): void {
    this.#expiry.stop();
  }
}
