import type { Abort } from '../../locking/abort.js';
import { abortable } from '../../locking/abortable.js';
import type { Clock } from '../../locking/clock.js';
import type { LockUnavailableError } from '../../locking/errors/lock-unavailable.error.js';
import type { LockProviderListener, StoreTrouble } from '../../locking/lock-provider.interface.js';
import type { ZooKeeperClient } from '../client/zookeeper-client.interface.js';
import type { SessionEnd, SessionObserver } from '../session-observer.interface.js';
import { ConnectionReports } from './connection-reports.js';
import { PooledSession, type Admission } from './pooled-session.js';
import { ServerSession } from './server-session.js';
import { unavailable, type SessionPoolState } from './unavailable.js';

/** What a caller waits for: a connection, or a commit after it. */
export type Contact = 'connected' | 'renewed';

export interface SessionPoolOptions {
  readonly clock: Clock;
  /** The session timeout asked for, ms. */
  readonly sessionTimeout: number;
  /** How long a caller waits for a connection, ms. */
  readonly connectTimeout: number;
  /** Bytes of contender paths that one session carries at most. */
  readonly maxSessionPathBytes: number;
  readonly createClient: (observer: SessionObserver) => ZooKeeperClient;
  /** Called with every session before its first notification. */
  readonly started?: (session: ServerSession) => void;
}

/**
 * The sessions of a lock service: one, and further ones while the contenders do not fit into it (H61). Each has its own
 * heartbeat, deadline and loss, and a contender stays in its session. The first session is replaced when it expires, until
 * `close` or until the server refuses the credentials; a further one is closed after a session timeout without contenders.
 *
 * `idle` → `open` → `refused` → `closed`, or without `refused`. There is no way back.
 */
export class SessionPool {
  readonly #members: PooledSession[] = [];
  readonly #closing = new Set<Promise<void>>();
  #state: SessionPoolState = 'idle';
  #listener: LockProviderListener | undefined;
  #reports: ConnectionReports | undefined;

  constructor(private readonly options: SessionPoolOptions) {}

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

  /**
   * A session, as soon as one is connected.
   *
   * @throws LockUnavailableError after `connectTimeout` without a connection, or for good when it was refused or closed
   * @throws the reason of `abort`
   */
  async connected(resource?: string, abort?: Abort): Promise<ServerSession> {
    const { clock, connectTimeout } = this.options;
    const deadline = clock.monotonic() + connectTimeout;
    for (;;) {
      const member = this.#members.find(({ session }) => session.isConnected);
      if (member !== undefined) return member.session;
      if (this.#members.length === 0) throw this.#unavailable(resource);
      const sessions = this.#members.map(({ session }) => session);
      await this.#contact(sessions, 'connected', deadline, resource, abort);
    }
  }

  /**
   * Room for a contender whose path has `bytes`, in a session that is connected.
   *
   * @param begun when the caller began, a stamp of `Clock.monotonic()`
   * @throws as `reattached` does
   */
  async admit(
    bytes: number,
    resource: string,
    abort?: Abort,
    begun = this.options.clock.monotonic(),
  ): Promise<Admission> {
    for (;;) {
      const member = this.#memberWithRoom(bytes);
      if (member === undefined) throw this.#unavailable(resource);
      const admission = member.admission(bytes, begun, () => this.#closeOnceIdle(member));
      if (member.session.isConnected) return admission;
      try {
        if (await this.reattached(member.session, begun, resource, abort)) return admission;
      } catch (error) {
        admission.leave();
        throw error;
      }
    }
  }

  /**
   * True as soon as `session` is connected again, false once it has ended. The time limit goes on after a handshake, until
   * something is committed: servers that commit nothing may still accept handshakes.
   *
   * @param begun when the caller began, a stamp of `Clock.monotonic()`
   * @param until `renewed`: true only as soon as something has been committed as well
   * @throws LockUnavailableError after `connectTimeout` without contact, or for good when the session was refused or closed
   * @throws the reason of `abort`
   */
  async reattached(
    session: ServerSession,
    begun: number,
    resource: string | undefined,
    abort: Abort | undefined,
    until: Contact = 'connected',
  ): Promise<boolean> {
    const { clock, connectTimeout } = this.options;
    const now = clock.monotonic();
    const deadline = Math.max(begun, session.outOfContactSince ?? now) + connectTimeout;
    if (deadline <= now && session.state !== 'ended') throw this.#unavailable(resource);
    if (until === 'connected' ? session.isConnected : session.outOfContactSince === undefined) return true;
    if (session.state === 'ended') return false;
    return this.#contact([session], until, deadline, resource, abort);
  }

  /** Ends the sessions on the server if it can be reached. Idempotent, never rejects. */
  async close(): Promise<void> {
    this.#state = 'closed';
    this.#closeAll('closed');
    await Promise.all(this.#closing);
  }

  /** True as soon as one of the sessions has contact, false when one has ended. */
  #contact(
    sessions: readonly ServerSession[],
    until: Contact,
    deadline: number,
    resource: string | undefined,
    abort: Abort | undefined,
  ): Promise<boolean> {
    const { clock } = this.options;
    return abortable(abort, (resolve, reject) => {
      const timeIsUp = () => reject(this.#unavailable(resource));
      const timer = clock.setTimer(timeIsUp, Math.max(0, deadline - clock.monotonic()), true);
      const stops = sessions.map((session) =>
        session.observe({
          [until]: () => resolve(true),
          ended: () => (this.#state === 'open' ? resolve(false) : reject(this.#unavailable(resource))),
        }),
      );
      return () => {
        timer.cancel();
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
      // A blocked event loop, for example, concerns all sessions: only the first one warns.
      warn: (message) => {
        if (this.#members[0]?.session === session) this.#listener?.warning(message);
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
