import { take } from 'rxjs';
import type { Abort } from './abort.js';
import type { ActiveLocks } from './active-locks.js';
import type { Clock } from './clock.js';
import type { ConnectionLog } from './connection-log.interface.js';
import { ConnectionMonitor } from './connection-monitor.js';
import { outsideHolds } from './current-lock.js';
import { LockClosedError } from './errors/lock-closed.error.js';
import { LazyAbort } from './lazy-abort.js';
import type { LockEvents } from './lock-events.js';
import type { LockProvider } from './lock-provider.interface.js';
import { Once } from './once.js';

/** What a call does with a lock. */
export type UseOfLock = 'acquired' | 'inspected' | 'changed' | 'released';

export interface ServiceLifecycleOptions {
  readonly provider: LockProvider;
  readonly active: ActiveLocks;
  readonly events: LockEvents;
  readonly clock: Clock;
  /** Do not wait for the first connection. */
  readonly lazy: boolean;
  /** How long a shutdown waits for holders, ms. */
  readonly drainTimeout: number;
  /** Called once, before it connects. */
  readonly opening: () => void;
  /** Logs a warning for operators. Never throws. */
  readonly warn: (message: string) => void;
  /** Logs the progress of connecting. */
  readonly connectionLog: ConnectionLog | undefined;
}

/** The life of a lock service: it connects at the start or at the first use, and a shutdown ends it in two halves. */
export class ServiceLifecycle {
  // Private also when it is printed: the provider knows credentials.
  readonly #parts: ServiceLifecycleOptions;
  readonly #stopped = new LazyAbort<void>();
  #isOpen = false;
  #starting: Promise<void> | undefined;
  readonly #stopping = new Once(() => this.#stop());
  readonly #closing = new Once(() => this.#parts.active.during(() => this.#close()));

  constructor(parts: ServiceLifecycleOptions) {
    this.#parts = parts;
  }

  /** Aborts when the service takes no more calls. */
  get stopped(): Abort {
    return this.#stopped;
  }

  /** Starts connecting, as the first use does. Idempotent. */
  open(): void {
    if (this.#isOpen || this.#stopped.aborted) return;
    this.#isOpen = true;
    const { provider, events, warn, connectionLog, opening } = this.#parts;
    connectionLog?.connecting();
    opening();
    // Its sockets and timers outlive the code that uses the service for the first time (H64).
    outsideHolds(() => provider.open(new ConnectionMonitor(events, warn, connectionLog)));
  }

  /**
   * Connects, and checks the permissions that locks require. With `lazy`, does so in the background, and logs a failure as
   * a warning. Idempotent. Closes everything after a failure (H56).
   *
   * @throws LockUnavailableError, LockConfigurationError unless `lazy`
   */
  start(): Promise<void> {
    this.#starting ??= this.#start();
    return this.#starting;
  }

  /**
   * The hooks of this module have run: from now on, holds keep the process alive too. Before, a hold would keep alive a process
   * whose start has failed elsewhere.
   */
  started(): void {
    this.#parts.active.started();
  }

  /** Called for every call. @throws LockClosedError if the service takes no more */
  admit(resource: string, what: UseOfLock = 'acquired'): void {
    if (this.#stopped.aborted) throw new LockClosedError(resource, what);
    this.open();
  }

  /**
   * First half of a shutdown: stops granting, rejects waiters, and lets holders finish for `drainTimeout`. Remaining holds
   * are lost with reason `shutdown`, but stay locked until their work settles. Idempotent.
   */
  stop(): Promise<void> {
    return this.#stopping.run();
  }

  /** Second half of a shutdown: ends the session, which frees all remaining locks. Idempotent. */
  close(): Promise<void> {
    return this.#closing.run();
  }

  async #start(): Promise<void> {
    const { provider, active, events, lazy } = this.#parts;
    this.open();
    if (lazy) {
      events.ready$.pipe(take(1)).subscribe(() => void this.#warnUnlessReady());
      return;
    }
    try {
      await active.during(() => provider.ready());
    } catch (error) {
      await this.close();
      throw error;
    }
  }

  async #warnUnlessReady(): Promise<void> {
    try {
      await this.#parts.provider.ready();
    } catch (error) {
      if (!this.#stopped.aborted) this.#parts.warn((error as Error).message);
    }
  }

  async #stop(): Promise<void> {
    const { active, clock, drainTimeout, provider } = this.#parts;
    active.closeAcquisitions();
    this.#stopped.abort();
    provider.stop?.();
    if (!(await active.drained(clock, drainTimeout))) active.abandonHolds();
  }

  async #close(): Promise<void> {
    const { provider, active, events } = this.#parts;
    await this.stop();
    await provider.close();
    active.closed();
    events.emit({ type: 'closed' });
  }
}
