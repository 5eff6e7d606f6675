import type { Abort } from '../../locking/abort.js';
import { abortable } from '../../locking/abortable.js';
import type { Clock } from '../../locking/clock.js';
import type { LockUnavailableError } from '../../locking/errors/lock-unavailable.error.js';
import type { LockProviderListener, StoreTrouble } from '../../locking/lock-provider.interface.js';
import type { ZooKeeperClient } from '../client/zookeeper-client.interface.js';
import type { SessionEnd, SessionObserver } from '../session-observer.interface.js';
import { ConnectionReports } from './connection-reports.js';
import { ContactLimit, type ContactLimitOptions } from './contact-limit.js';
import { PooledSession, type Admission } from './pooled-session.js';
import { ServerSession } from './server-session.js';
import { unavailable, type SessionPoolState } from './unavailable.js';

export interface SessionPoolOptions {
  readonly clock: Clock;
  /** The session timeout asked for, ms. */
  readonly sessionTimeout: number;
  /** How long a call waits without contact, ms. */
  readonly connectTimeout: number;
  /** Bytes of contender paths that one session carries at most. */
  readonly maxSessionPathBytes: number;
  readonly createClient: (observer: SessionObserver) => ZooKeeperClient;
  /** Called with every session before its first notification. */
  readonly started?: (session: ServerSession) => void;
}

/**
 * The sessions of a lock service: one, and further ones while the contenders do not fit into it (H61). Each has its own
 * heartbeat, deadline and loss, and a contender stays in its session. The last session is replaced when it expires, until
 * `close` or until the server refuses the credentials; a further one is closed after a session timeout without contenders,
 * while the first one is connected.
 *
 * `idle` → `open` → `refused` → `closed`, or without `refused`. There is no way back.
 */
export class SessionPool {
  readonly #members: PooledSession[] = [];
  readonly #closing = new Set<Promise<void>>();
  #state: SessionPoolState = 'idle';
  #listener: LockProviderListener | undefined;
  #reports: ConnectionReports | undefined;
  readonly #limits: ContactLimitOptions;

  constructor(private readonly options: SessionPoolOptions) {
    this.#limits = {
      clock: options.clock,
      connectTimeout: options.connectTimeout,
      isOpen: () => this.end === undefined,
      unavailable: (resource) => this.#unavailable(resource),
    };
  }

  /** Why there will never be a session again; undefined while one is there or may come. Sessions tell only of themselves. */
  get end(): Exclude<SessionEnd, 'expired'> | undefined {
    if (this.#state === 'closed') return 'closed';
    return this.#state === 'refused' ? 'authenticationFailed' : undefined;
  }

  /** Of one session at least. */
  get inContact(): boolean {
    return this.#members.some(({ session }) => session.inContact);
  }

  /** Why there is no connection, if that is known. */
  get trouble(): StoreTrouble | undefined {
    return this.#reports?.trouble;
  }

  open(listener: LockProviderListener): void {
    this.#state = 'open';
    this.#listener = listener;
    this.#reports = new ConnectionReports(listener);
    this.#start();
  }

  /** Makes one call, which `limit` ends when it has no contact for too long, or when `caller` aborts. */
  async limited<T>(
    resource: string | undefined,
    caller: Abort | undefined,
    call: (limit: ContactLimit) => Promise<T>,
  ): Promise<T> {
    const limit = new ContactLimit(resource, this.#limits, caller);
    try {
      return await call(limit);
    } finally {
      limit.end();
    }
  }

  /**
   * A session, as soon as one is connected.
   *
   * @throws LockUnavailableError for good when there is no session, because it was refused or closed
   * @throws the reason of `limit`, which follows that session
   */
  async connected(limit: ContactLimit): Promise<ServerSession> {
    for (;;) {
      const member = this.#members.find(({ session }) => session.isConnected) ?? this.#members[0];
      if (member === undefined) throw this.#unavailable(limit.resource);
      limit.follow(member.session);
      if (member.session.isConnected) return member.session;
      await this.#anyConnected(limit);
    }
  }

  /** Room for a contender whose path has `bytes`, in a session that is connected. Throws as `connected` does. */
  async admit(bytes: number, limit: ContactLimit): Promise<Admission> {
    for (;;) {
      const member = this.#memberWithRoom(bytes);
      if (member === undefined) throw this.#unavailable(limit.resource);
      const { session } = member;
      const admission = member.admission(bytes, () => this.#closeOnceIdle(member));
      limit.follow(session);
      try {
        if (session.isConnected || (await session.reachable(limit))) return admission;
      } catch (error) {
        admission.leave();
        throw error;
      }
    }
  }

  /** Ends the sessions on the server if it can be reached. Idempotent, never rejects. */
  async close(): Promise<void> {
    this.#state = 'closed';
    this.#closeAll('closed');
    await Promise.all(this.#closing);
  }

  /** Resolves when one of the sessions is connected, or has ended. */
  #anyConnected(abort: Abort): Promise<void> {
    return abortable(abort, (resolve) => {
      const look = (): void => resolve();
      const stops = this.#members.map(({ session }) => session.observe({ connected: look, ended: look }));
      return () => {
        for (const stop of stops) stop();
      };
    });
  }

  /** The first that is connected, the first at all, or a new one. Takes the room. */
  #memberWithRoom(bytes: number): PooledSession | undefined {
    if (this.#state !== 'open') return undefined;
    const connected = this.#members.find((member) => member.session.isConnected && member.take(bytes));
    const member = connected ?? this.#members.find((member) => member.take(bytes));
    if (member !== undefined) return member;
    const started = this.#start();
    started.take(bytes);
    return started;
  }

  /** The first session is kept. */
  #closeOnceIdle(member: PooledSession): void {
    if (member === this.#members[0] || member.session.state === 'ended') return;
    member.onceIdle(() => {
      const index = this.#members.indexOf(member);
      // It may have become the first one since.
      if (index < 1) return;
      // Calls that need no room, such as `inspect`, use it while the first one is not connected.
      if (!this.#members[0]!.session.isConnected) return this.#closeOnceIdle(member);
      this.#members.splice(index, 1);
      this.#close(member.session, 'closed');
      this.#reports?.contact.closed(member.session);
    });
  }

  /** @param outOfContactSince that of the session whose place it takes */
  #start(outOfContactSince?: number): PooledSession {
    const { clock, sessionTimeout, createClient, maxSessionPathBytes } = this.options;
    const session: ServerSession = new ServerSession({
      clock,
      outOfContactSince,
      sessionTimeout,
      createClient,
      together: (tell) => (this.#listener?.together === undefined ? tell() : this.#listener.together(tell)),
      // Of what concerns all sessions, such as a blocked event loop, only the first one warns.
      warn: (message, concerns) => {
        const isFirst = this.#members[0]?.session === session;
        if (concerns === 'session' || isFirst) this.#listener?.warning(message);
      },
    });
    const member = new PooledSession(session, maxSessionPathBytes, clock);
    this.#members.push(member);
    this.options.started?.(session);
    if (this.#reports !== undefined) session.observe(this.#reports.observerOf(session));
    session.observe({ ended: (end) => this.#ended(member, end) });
    return member;
  }

  #ended(member: PooledSession, end: SessionEnd): void {
    member.cancelIdle();
    const index = this.#members.indexOf(member);
    // The pool has ended it.
    if (index < 0) return;
    this.#members.splice(index, 1);
    this.#close(member.session, end);
    if (end === 'expired') {
      this.#reports?.contact.expired(member.session);
      // A listener may have closed the service.
      if (this.#state === 'open' && this.#members.length === 0) this.#start(member.session.outOfContactSince);
    } else if (this.#state === 'open') {
      this.#state = 'refused';
      this.#reports?.contact.authenticationFailed();
      this.#closeAll(end);
    }
  }

  #closeAll(end: SessionEnd): void {
    for (const { session } of this.#members.splice(0)) this.#close(session, end);
  }

  #close(session: ServerSession, end: SessionEnd): void {
    const closing = session.close(end).finally(() => this.#closing.delete(closing));
    this.#closing.add(closing);
  }

  #unavailable(resource: string | undefined): LockUnavailableError {
    const { connectTimeout } = this.options;
    return unavailable(resource, { state: this.#state, connectTimeout, trouble: this.trouble });
  }
}
