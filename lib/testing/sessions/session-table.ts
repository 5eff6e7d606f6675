import { timingSafeEqual } from 'node:crypto';
import { SESSION_PASSWORD_BYTES } from '../../zookeeper/protocol/session-password.js';

export interface Session {
  readonly id: bigint;
  readonly password: Buffer;
  /** As negotiated when it was created, ms. Servers keep no other one on their disks, and a new leader goes by it. */
  readonly firstTimeout: number;
  /** As last negotiated, ms. */
  timeout: number;
}

/** @param timeout as negotiated, ms */
export function newSession(id: bigint, password: Buffer, timeout: number): Session {
  return { id, password, firstTimeout: timeout, timeout };
}

/** The sessions that have been opened and not closed. */
export class SessionTable {
  readonly #sessions = new Map<bigint, Session>();

  get size(): number {
    return this.#sessions.size;
  }

  add(session: Session): void {
    this.#sessions.set(session.id, session);
  }

  get(id: bigint): Session | undefined {
    return this.#sessions.get(id);
  }

  all(): IterableIterator<Session> {
    return this.#sessions.values();
  }

  /** Undefined if there is no session with this id and password. */
  authenticate(id: bigint, password: Buffer | null): Session | undefined {
    const session = this.#sessions.get(id);
    if (!session || password?.length !== SESSION_PASSWORD_BYTES) return undefined;
    return timingSafeEqual(session.password, password) ? session : undefined;
  }

  remove(id: bigint): void {
    this.#sessions.delete(id);
  }
}
