import { abortable } from '../../locking/abortable.js';
import type { Clock } from '../../locking/clock.js';
import { LockUnavailableError } from '../../locking/errors/lock-unavailable.error.js';
import type { ConnectionInfo, LockProviderListener } from '../../locking/lock-provider.interface.js';
import type { Connection, DriverListener, ZooKeeperDriver } from '../driver/zookeeper-driver.interface.js';
import { ServerSession, type SessionEnd } from './server-session.js';

export interface SessionKeeperOptions {
  readonly clock: Clock;
  /** The session timeout asked for, ms. */
  readonly sessionTimeout: number;
  /** How long a caller waits for a connection, ms. */
  readonly connectTimeout: number;
  readonly createDriver: (listener: DriverListener) => ZooKeeperDriver;
}

interface Waiter {
  readonly resolve: (session: ServerSession) => void;
  readonly reject: (error: Error) => void;
}

/**
 * Keeps one session open: an expired one is replaced, until `close` or until the server refuses the credentials.
 *
 * `idle` → `open` ⇄ (the session's own states) → `refused` or `closed`; the last two are final.
 */
export class SessionKeeper {
  readonly #waiters = new Set<Waiter>();
  #state: 'idle' | 'open' | 'refused' | 'closed' = 'idle';
  #session: ServerSession | undefined;
  /** Why there is no connection, as far as it is known. */
  #trouble: { readonly what: string; readonly cause: Error } | undefined;

  constructor(private readonly options: SessionKeeperOptions) {}

  open(listener: LockProviderListener): void {
    this.#state = 'open';
    this.#start(listener);
  }

  /**
   * The session, as soon as it is connected.
   *
   * @throws LockUnavailableError after `connectTimeout` without a connection, or for good when it was refused or closed
   * @throws the reason of `signal`
   */
  connected(resource?: string, signal?: AbortSignal): Promise<ServerSession> {
    const session = this.#session;
    if (session?.state === 'connected' && session.driver.connected) return Promise.resolve(session);
    if (this.#state !== 'open') return Promise.reject(this.#unavailable(resource));
    return abortable(signal, (resolve, reject) => {
      const waiter = { resolve, reject: () => reject(this.#unavailable(resource)) };
      const timer = this.options.clock.setTimer(waiter.reject, this.options.connectTimeout, true);
      this.#waiters.add(waiter);
      return () => {
        timer.cancel();
        this.#waiters.delete(waiter);
      };
    });
  }

  /** Ends the session on the server if it can be reached. Idempotent, never rejects. */
  async close(): Promise<void> {
    this.#state = 'closed';
    this.#refuseWaiters();
    await this.#session?.close();
  }

  #start(listener: LockProviderListener): void {
    let attached = false;
    const session = new ServerSession({
      clock: this.options.clock,
      sessionTimeout: this.options.sessionTimeout,
      createDriver: this.options.createDriver,
      warn: (message) => listener.warning(message),
    });
    this.#session = session;
    session.observe({
      connected: (connection) => {
        if (attached) listener.resumed(describe(connection));
        else listener.ready(describe(connection));
        attached = true;
        this.#trouble = undefined;
        this.#serveWaiters(session);
      },
      disconnected: (cause) => {
        this.#trouble = { what: cause.message, cause };
        listener.suspended(cause);
      },
      attemptFailed: (server, cause) => {
        this.#trouble = {
          what: `the last attempt, at ${server}, failed with "${cause.message.trim()}"`,
          cause,
        };
      },
      ended: (end) => this.#ended(session, end, listener),
    });
  }

  #ended(session: ServerSession, end: SessionEnd, listener: LockProviderListener): void {
    if (end === 'closed') return;
    void session.driver.close();
    if (end === 'expired') {
      listener.sessionExpired();
      if (this.#state === 'open') this.#start(listener);
      return;
    }
    this.#state = 'refused';
    listener.authenticationFailed();
    this.#refuseWaiters();
  }

  #serveWaiters(session: ServerSession): void {
    for (const waiter of [...this.#waiters]) waiter.resolve(session);
  }

  #refuseWaiters(): void {
    for (const waiter of [...this.#waiters]) waiter.reject(this.#unavailable(undefined));
  }

  #unavailable(resource: string | undefined): LockUnavailableError {
    switch (this.#state) {
      case 'closed':
        return new LockUnavailableError(resource, 'the connection to ZooKeeper has been closed', {
          hint: 'Do not lock after the shutdown of the application',
        });
      case 'refused':
        return new LockUnavailableError(resource, 'ZooKeeper refused the credentials', {
          hint: 'Check the `auth` option',
        });
      default: {
        const { what, cause } = this.#trouble ?? {};
        const detail = what === undefined ? '' : ` (${what})`;
        const ms = this.options.connectTimeout;
        return new LockUnavailableError(
          resource,
          `there was no connection to ZooKeeper for ${ms} ms${detail}`,
          {
            cause,
          },
        );
      }
    }
  }
}

function describe({ sessionId, server, sessionTimeout }: Connection): ConnectionInfo {
  return { session: `0x${BigInt.asUintN(64, sessionId).toString(16)}`, server, sessionTimeout };
}
