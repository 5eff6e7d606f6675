import {
  Injectable,
  type BeforeApplicationShutdown,
  type OnApplicationBootstrap,
  type OnApplicationShutdown,
  type OnModuleInit,
} from '@nestjs/common';
import { inspect } from 'node:util';
import type { Observable } from 'rxjs';
import { settledResult } from './execution/method-result.js';
import { assertNoMoreArguments, withLockArguments } from './locking/call-arguments.js';
import { currentLock, currentLockOrThrow } from './locking/current-lock.js';
import type { HeldLock } from './locking/held-lock.interface.js';
import type {
  ConnectionState,
  LockEvent,
  LostEvent,
  ReadyEvent,
  ResumedEvent,
  SuspendedEvent,
  TtlExpiredEvent,
} from './locking/lock-event.interface.js';
import type { ResourceEvents } from './locking/lock-events.js';
import type { LockManager } from './locking/lock-manager.js';
import type { LockOptions } from './locking/lock-options.js';
import type { LockSnapshot } from './locking/lock-provider.interface.js';
import { escapeControls } from './locking/escape-controls.js';

/**
 * Locks by hand, and the life of all locks as observables. `@Locked` does the same around a method.
 *
 * @publicApi
 * @example
 * class Orders {
 *   constructor(private readonly locks: LockService) {}
 *
 *   async pay(id: string) {
 *     await this.locks.withLock(`order:${id}`, { ttl: 5_000, wait: 2_000 }, async ({ signal, fencingToken }) => {
 *       await this.payments.charge(id, { signal, fencingToken });
 *     });
 *   }
 * }
 */
@Injectable()
export class LockService
  implements
    OnModuleInit,
    OnApplicationBootstrap,
    BeforeApplicationShutdown,
    OnApplicationShutdown,
    AsyncDisposable
{
  /** Made by `LockModule`, `createLockService` and `FakeLockService`. */
  constructor(internal: never);
  /** @internal */
  constructor(manager: LockManager);
  // Not `#manager`: a provider may be called through a Proxy, as with Nest's `instrument.instanceDecorator`.
  constructor(private readonly manager: LockManager) {}

  /**
   * The innermost lock that this async flow holds, or the innermost one of `resource`. After its release it is still
   * returned, with `isHeld()` false; undefined outside of locked code.
   */
  static current(resource?: string): HeldLock | undefined {
    return currentLock(resource);
  }

  /**
   * The same for code that must run under a lock.
   *
   * @throws LockConfigurationError outside of locked code, or of code locked by `resource`
   * @example
   * @Locked('order:{0}')
   * async pay(id: string) {
   *   const { signal, fencingToken } = LockService.currentOrThrow();
   *   await this.payments.charge(id, { signal, fencingToken });
   * }
   */
  static currentOrThrow(resource?: string): HeldLock {
    return currentLockOrThrow(resource);
  }

  /** Everything that happens to locks and to the connection. Hot, without replay; completes after `closed`. */
  get events$(): Observable<LockEvent> {
    return this.manager.events.events$;
  }

  /** Contact with ZooKeeper; replays the last state. */
  get state$(): Observable<ConnectionState> {
    return this.manager.events.state$;
  }

  /** Emits at subscription if connected, and at every connection and reconnection. */
  get ready$(): Observable<ReadyEvent | ResumedEvent> {
    return this.manager.events.ready$;
  }

  /** Emits whenever contact with ZooKeeper is lost; held locks may still be ours. */
  get disconnected$(): Observable<SuspendedEvent> {
    return this.manager.events.disconnected$;
  }

  /** Emits when a hold outlives its ttl. */
  get ttlExpired$(): Observable<TtlExpiredEvent> {
    return this.manager.events.ttlExpired$;
  }

  /** Emits when a hold is lost for another reason than its ttl. */
  get lost$(): Observable<LostEvent> {
    return this.manager.events.lost$;
  }

  /** Name of this process in events, messages and `inspect()`. */
  get owner(): string {
    return this.manager.owner;
  }

  /** Contact with ZooKeeper at this moment. */
  get state(): ConnectionState {
    return this.manager.events.state;
  }

  /** The streams of one resource, by its exact name. */
  forResource(resource: string): ResourceEvents {
    return this.manager.events.forResource(resource);
  }

  /**
   * Acquires a lock, waiting in line for it.
   *
   * Events: `waiting` while others are ahead; then `acquired`, or `busy`, `timedOut`, `aborted` or `failed`.
   *
   * @param options a ttl in ms, or options
   * @throws LockBusyError if it is held by somebody else, with `wait: 0` or with as many waiters as `maxWaiters` says
   * @throws LockTimeoutError if `wait` passed in the queue
   * @throws LockCallerGoneError if the client hung up in whose request it is called, unless `whenCallerLeaves` is `'stay'`
   * @throws LockUnavailableError if ZooKeeper cannot be reached, also at the end of a wait in the queue
   * @throws LockClosedError if the application shuts down
   * @throws LockConfigurationError for a bad name or option
   * @throws the reason of `options.signal` when that aborts
   * @example
   * await using held = await locks.lock('report', { ttl: 60_000, wait: 5_000 });
   */
  lock(resource: string, options?: number | LockOptions): Promise<HeldLock>;
  async lock(resource: string, options?: number | LockOptions, ...more: unknown[]): Promise<HeldLock> {
    assertNoMoreArguments('lock', more);
    return this.manager.lock(resource, options);
  }

  /**
   * Acquires a lock if it is free. Creates nothing when it can see that it is busy; does not wait unless
   * `options.wait` says so.
   *
   * @returns null if somebody else holds it; throws as `lock` does for everything else
   */
  tryLock(resource: string, options?: number | LockOptions): Promise<HeldLock | null>;
  async tryLock(
    resource: string,
    options?: number | LockOptions,
    ...more: unknown[]
  ): Promise<HeldLock | null> {
    assertNoMoreArguments('tryLock', more);
    return this.manager.tryLock(resource, options);
  }

  /** The same as `held.release()`: true if it was held until now, false if it had been lost, or its node deleted, before. */
  unlock(held: HeldLock): Promise<boolean> {
    return this.manager.unlock(held);
  }

  /**
   * Runs `work` under a lock. Its result and its own errors pass through; `LockService.current()` works inside.
   *
   * @throws LockLostError as soon as the lock is lost; the work should stop on `held.signal`
   * @throws LockConfigurationError before anything is acquired, if `work` is no function; and after the work, if that
   *   gave an Observable or an async generator, which would run without the lock
   * @throws what `lock` throws
   */
  withLock<T>(resource: string, work: (held: HeldLock) => T | PromiseLike<T>): Promise<T>;
  withLock<T>(
    resource: string,
    options: number | LockOptions | undefined,
    work: (held: HeldLock) => T | PromiseLike<T>,
  ): Promise<T>;
  async withLock(...given: unknown[]): Promise<unknown> {
    const { resource, options, work } = withLockArguments(given);
    return this.manager.withLock(resource, options as LockOptions, async (held) =>
      settledResult(resource, await work(held)),
    );
  }

  /**
   * Who holds a lock and who waits for it, in order. Advisory: it may have changed when you read it.
   *
   * @throws LockUnavailableError if ZooKeeper cannot be reached within `connectTimeout`; the reason of `signal` if that
   *   aborts before
   */
  inspect(resource: string, signal?: AbortSignal): Promise<LockSnapshot> {
    return this.manager.inspect(resource, signal);
  }

  /** How it is printed: libraries that look for a method `inspect` would otherwise ask for the queue of a lock. */
  [inspect.custom](): string {
    return `LockService { owner: '${escapeControls(this.owner)}', state: '${this.state}' }`;
  }

  /**
   * Connects, if no lock has been asked for before. Called by Nest, before the modules that use locks are initialised.
   *
   * @throws LockUnavailableError unless `lazy`, if ZooKeeper cannot be reached or the session lacks rights below `root`
   * @throws LockConfigurationError unless `lazy`, if the chroot does not exist
   */
  async onModuleInit(): Promise<void> {
    await this.manager.start();
  }

  /** From now on a held lock keeps the process alive; a mere connection never does. Called by Nest. */
  onApplicationBootstrap(): void {
    this.manager.started();
  }

  /**
   * Stops granting, refuses waiters, lets holders finish for `drainTimeout` at most, and ends the session, which frees
   * whatever is left. Nest does that when the application closes; services of `createLockService` are closed by their
   * owner. Idempotent.
   */
  async close(): Promise<void> {
    await this.manager.close();
  }

  /** The same as `close()`. */
  async [Symbol.asyncDispose](): Promise<void> {
    await this.close();
  }

  /** First half of `close()`: everything but the end of the session. Called by Nest. */
  async beforeApplicationShutdown(): Promise<void> {
    await this.manager.stop();
  }

  /** Second half of `close()`, after the servers have been closed. Called by Nest. */
  async onApplicationShutdown(): Promise<void> {
    await this.manager.close();
  }
}
