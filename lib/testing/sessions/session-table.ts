import { randomBytes, timingSafeEqual } from 'node:crypto';
import type { Clock } from '../../locking/clock.js';
import { SESSION_PASSWORD_BYTES } from '../../zookeeper/protocol/session-password.js';
import { ExpiryQueue } from './expiry-queue.js';

const SERVER_ID = 1n;

export interface Session {
  readonly id: bigint;
  readonly password: Buffer;
  /** As last negotiated, ms. */
  timeout: number;
}

/** The sessions of this server and their expiry. */
export class SessionTable {
  readonly #sessions = new Map<bigint, Session>();
  readonly #expiry: ExpiryQueue<Session>;
  #nextId: bigint;

  constructor(clock: Clock, tickTime: number, expired: (session: Session) => void) {
    this.#expiry = new ExpiryQueue(clock, tickTime, expired);
    this.#nextId = firstSessionId(clock.wall());
  }

  get size(): number {
    return this.#sessions.size;
  }

  create(timeout: number): Session {
    const session = { id: this.#nextId++, password: randomBytes(SESSION_PASSWORD_BYTES), timeout };
    this.#sessions.set(session.id, session);
    this.#expiry.touch(session, timeout);
    return session;
  }

  get(id: bigint): Session | undefined {
    return this.#sessions.get(id);
  }

  all(): IterableIterator<Session> {
    return this.#sessions.values();
  }

  /** Resumes a session with a new timeout; undefined if there is none with this id and password. */
  resume(id: bigint, password: Buffer | null, timeout: number): Session | undefined {
    const session = this.#sessions.get(id);
    if (!session || password?.length !== SESSION_PASSWORD_BYTES) return undefined;
    if (!timingSafeEqual(session.password, password)) return undefined;
    session.timeout = timeout;
    this.#expiry.touch(session, timeout);
    return session;
  }

  /** Extends a session after a request; false if there is no such session. */
  touch(id: bigint): boolean {
    const session = this.#sessions.get(id);
    if (session) this.#expiry.touch(session, session.timeout);
    return session !== undefined;
  }

  remove(id: bigint): void {
    const session = this.#sessions.get(id);
    if (!session) return;
    this.#sessions.delete(id);
    this.#expiry.remove(session);
  }

  ends(): ReadonlyMap<Session, number> {
    return this.#expiry.ends();
  }

  stop(): void {
    this.#expiry.stop();
  }
}

/** The server id in the highest byte, then five bytes of the start time and two of a counter. */
function firstSessionId(wall: number): bigint {
  const time = BigInt.asUintN(64, BigInt(Math.floor(wall)) << 24n) >> 8n;
  return BigInt.asIntN(64, (SERVER_ID << 56n) | time);
}
