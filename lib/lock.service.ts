import {
  Injectable,
  type BeforeApplicationShutdown,
  type OnApplicationBootstrap,
  type OnApplicationShutdown,
  type OnModuleInit,
} from '@nestjs/common';
import { inspect } from 'node:util';
import type { Observable } from 'rxjs';
import { currentLock, currentLockOrThrow } from './locking/current-lock.js';
import type { HeldLock, HeldLocks } from './locking/held-lock.interface.js';
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
import type { Campaign, LeaderWork } from './locking/leadership/campaign.js';
import type { Leadership, LeadOptions } from './locking/leadership/leadership.interface.js';
import type { ForceReleaseOptions } from './locking/force-release-options.js';
import type { LockManager } from './locking/lock-manager.js';
import type { ScheduledJobOptions } from './locking/schedule/scheduled-jobs.js';
import type { LockNames } from './locking/lock-names.js';
import type { LockOptions } from './locking/lock-options.js';
import type { LockSnapshot } from './locking/lock-provider.interface.js';
import type { ScheduledJob } from './locking/schedule/scheduled-job.js';
import { escapeControls } from './locking/escape-controls.js';

/**
 * Acquires and releases locks in code, and emits lock and connection events. `@Locked` locks a method.
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
  /** Internal. Use `LockModule`, `createLockService` or `FakeLockService` to create a lock service. */
  constructor(internal: never);
  /** @internal */
  constructor(manager: LockManager);
  // Not `#manager`: Nest's `instrument.instanceDecorator` may wrap a provider in a Proxy, which has no private fields.
  constructor(private readonly manager: LockManager) {}

  /**
   * Returns the innermost lock of the current asynchronous context, or the innermost one for `resource`. After the
   * release it still returns that lock, with `isHeld()` false, but not in code under another lock that was acquired later.
   * Returns `undefined` outside of locked code.
   */
  static current(resource?: string): HeldLock | undefined {
    return currentLock(resource);
  }

  /**
   * Returns the same lock as `current()`, and throws if there is none.
   *
   * @throws LockConfigurationError outside of locked code, or outside of code that is locked by `resource`
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

  /** Emits every lock and connection event. Hot, without replay; completes after `closed`. */
  get events$(): Observable<LockEvent> {
    return this.manager.events.events$;
  }

  /** Emits the current state of the connection at subscription, and then every change. */
  get state$(): Observable<ConnectionState> {
    return this.manager.events.state$;
  }

  /** Emits at subscription if connected, and at every connection and reconnection. */
  get ready$(): Observable<ReadyEvent | ResumedEvent> {
    return this.manager.events.ready$;
  }

  /** Emits when contact with ZooKeeper is lost. Locks may still be held. */
  get disconnected$(): Observable<SuspendedEvent> {
    return this.manager.events.disconnected$;
  }

  /** Emits when the `ttl` of a held lock expires. */
  get ttlExpired$(): Observable<TtlExpiredEvent> {
    return this.manager.events.ttlExpired$;
  }

  /** Emits when a held lock is lost for any reason other than its `ttl`. */
  get lost$(): Observable<LostEvent> {
    return this.manager.events.lost$;
  }

  /** The name of this lock service in events, messages and `inspect()`: the option `owner`, or a generated name. */
  get owner(): string {
    return this.manager.owner;
  }

  /** The current state of the connection. */
  get state(): ConnectionState {
    return this.manager.events.state;
  }

  /** Whether the service has begun to close, and takes no more calls. @internal */
  get isClosing(): boolean {
    return this.manager.lifecycle.stopped.aborted;
  }

  /**
   * Returns the event streams of the resource with this exact name.
   *
   * @throws LockConfigurationError if the name is invalid
   */
  forResource(resource: string): ResourceEvents {
    return this.manager.events.forResource(resource);
  }

  /**
   * Acquires a lock, or several: all of them or none. Waits in a fair queue if the lock is busy.
   *
   * Several are acquired in the order of their names, whatever the order of the list, so that two callers cannot wait for
   * each other. `wait` is for all of them together, and `ttl` and `minHold` count from the moment when all are granted.
   * Where all are free, they take one round trip, unless the last call had to wait for one of them.
   *
   * Emits `waiting` if others are ahead in the queue, and then one of `acquired`, `busy`, `timedOut`, `aborted` and
   * `failed`.
   *
   * @param options a `ttl` in ms, or an object of options
   * @throws LockBusyError if another holder has the lock, and `wait` is 0 or `maxWaiters` are ahead already
   * @throws LockTimeoutError if the lock stays busy for the whole `wait`
   * @throws LockCallerGoneError if the client of the current request disconnects during the wait, unless
   *   `whenCallerLeaves` is `'stay'`
   * @throws LockDeadlockError if the calling code holds the lock in a way that excludes this call
   * @throws LockPermitsError if the semaphore is in use with another number of permits
   * @throws LockFairnessError if the lock is in use with the other value of `fair`
   * @throws LockUnavailableError if ZooKeeper cannot be reached, or if contact is lost at the end of `wait`
   * @throws LockClosedError if the application is shutting down
   * @throws LockConfigurationError if the name or an option is invalid
   * @throws the reason of `options.signal` if that aborts
   * @example
   * await using held = await locks.lock('report', { ttl: 60_000, wait: 5_000 });
   * @example
   * await using both = await locks.lock(['account:7', 'account:9'], { ttl: 5_000 });
   */
  lock(resource: string, options?: number | LockOptions): Promise<HeldLock>;
  lock(resources: readonly string[], options?: number | LockOptions): Promise<HeldLocks>;
  lock(names: LockNames, options?: number | LockOptions): Promise<HeldLock | HeldLocks>;
  lock(names: LockNames, options?: number | LockOptions, ...more: unknown[]): Promise<HeldLock | HeldLocks> {
    return this.manager.lock(names, options, ...more);
  }

  /**
   * Acquires a lock, or several, if all are free. Without `options.wait`, does not wait, and creates no node if it sees that
   * the lock is busy.
   *
   * @returns the held lock, or `null` if another holder has it; rejects with the other errors of `lock`
   */
  tryLock(resource: string, options?: number | LockOptions): Promise<HeldLock | null>;
  tryLock(resources: readonly string[], options?: number | LockOptions): Promise<HeldLocks | null>;
  tryLock(names: LockNames, options?: number | LockOptions): Promise<HeldLock | HeldLocks | null>;
  tryLock(
    names: LockNames,
    options?: number | LockOptions,
    ...more: unknown[]
  ): Promise<HeldLock | HeldLocks | null> {
    return this.manager.tryLock(names, options, ...more);
  }

  /**
   * Releases a lock, as `held.release()` does. Resolves with `true` if the lock was held until the call, and with
   * `false` if it was lost or its node was deleted before.
   */
  unlock(held: HeldLock | HeldLocks): Promise<boolean> {
    return this.manager.unlock(held);
  }

  /**
   * Runs `work` under a lock, or under several, and passes its result and its errors through. `LockService.current()`
   * returns the lock inside `work`; of several it returns the last one, and `LockService.current(name)` each of them.
   *
   * @throws LockLostError as soon as the lock is lost; `work` should then stop on `held.signal`
   * @throws LockConfigurationError before the lock is acquired if `work` is not a function; after `work` if it returned
   *   an Observable or an async generator, which would run without the lock
   * @throws the errors of `lock`
   */
  withLock<T>(resource: string, work: (held: HeldLock) => T | PromiseLike<T>): Promise<T>;
  withLock<T>(
    resource: string,
    options: number | LockOptions | undefined,
    work: (held: HeldLock) => T | PromiseLike<T>,
  ): Promise<T>;
  withLock<T>(resources: readonly string[], work: (held: HeldLocks) => T | PromiseLike<T>): Promise<T>;
  withLock<T>(
    resources: readonly string[],
    options: number | LockOptions | undefined,
    work: (held: HeldLocks) => T | PromiseLike<T>,
  ): Promise<T>;
  withLock<T>(names: LockNames, work: (held: HeldLock | HeldLocks) => T | PromiseLike<T>): Promise<T>;
  withLock<T>(
    names: LockNames,
    options: number | LockOptions | undefined,
    work: (held: HeldLock | HeldLocks) => T | PromiseLike<T>,
  ): Promise<T>;
  withLock(...given: unknown[]): Promise<unknown> {
    return this.manager.withLock(...(given as Parameters<LockManager['withLock']>));
  }

  /**
   * Returns the holder of a lock and its waiters, in order. The snapshot may be outdated when you read it.
   *
   * @throws LockUnavailableError if ZooKeeper cannot be reached within `connectTimeout` or refuses a request, or at once if the
   *   session ends during the call
   * @throws LockClosedError if the application is shutting down
   * @throws LockConfigurationError if the name is invalid
   * @throws the reason of `signal` if that aborts
   */
  inspect(resource: string, signal?: AbortSignal): Promise<LockSnapshot> {
    return this.manager.administration.inspect(resource, signal);
  }

  /**
   * Changes the number of permits of a semaphore that is in use, and grants the lock to waiters if there are more permits.
   * Holders keep theirs if there are fewer. Calls for the lock must name the new number from now on; those that wait already
   * need not. The number is forgotten when nobody holds the lock or waits for it any more.
   *
   * @param permits a whole number from 1 to 1,000
   * @returns false if the lock is not in use with permits: there is nothing to change
   * @throws LockUnavailableError if ZooKeeper cannot be reached within `connectTimeout` or refuses a request, or at once if the
   *   session ends during the call
   * @throws LockClosedError if the application is shutting down
   * @throws LockConfigurationError if the name or the number is invalid
   * @throws the reason of `signal` if that aborts
   * @example
   * await locks.setPermits('license-server', 10);
   */
  setPermits(resource: string, permits: number, signal?: AbortSignal): Promise<boolean> {
    return this.manager.administration.setPermits(resource, permits, signal);
  }

  /**
   * Frees a lock with `failure: 'closed'` whose holder has failed and does not come back. A person who calls this knows that
   * no work under the lock is still running. If the holder is alive, it loses the lock, with reason `deleted`, a moment too late.
   *
   * @param options the fencing token of the holder, so that no later holder can be hit
   * @returns false if nobody holds the lock with this token and `failure: 'closed'`
   * @throws LockUnavailableError if ZooKeeper cannot be reached within `connectTimeout` or refuses a request, or at once if the
   *   session ends during the call
   * @throws LockClosedError if the application is shutting down
   * @throws LockConfigurationError if the name or the token is invalid
   * @throws the reason of `signal` if that aborts
   * @example
   * // The token that a person has read: one that is read right here could be that of a holder who has come back.
   * await locks.forceRelease('payout', { token: 8_589_934_592n });
   */
  forceRelease(resource: string, options: ForceReleaseOptions, signal?: AbortSignal): Promise<boolean> {
    return this.manager.administration.forceRelease(resource, options, signal);
  }

  /**
   * Asks everybody who holds the lock to release it. Holders of this library emit `revokeRequested` within about a round trip,
   * but not before they have held the lock for 250 ms, and decide for themselves. Requests that come before the holder has read
   * the first one are reported once. In a process with waiting callers, the one that has the lock is asked. Of Curator, only
   * holders whose lock was made revocable, with `makeRevocable()`, listen. A later holder in another process is never asked,
   * and neither are waiters.
   *
   * @returns false if nobody holds the lock; true does not mean that a holder listens, or still lives
   * @throws LockUnavailableError if ZooKeeper cannot be reached within `connectTimeout`, at once if the session ends during the
   *   call, or if ZooKeeper refuses to change the node of a holder because of its ACL: other holders may have been asked
   * @throws LockClosedError if the application is shutting down
   * @throws LockConfigurationError if the name is invalid, or the lock is in use with `fair: false`
   * @throws the reason of `signal` if that aborts
   * @example
   * this.locks.events$.subscribe((event) => {
   *   if (event.type === 'revokeRequested' && event.resource === 'index') this.rebuild.pause();
   * });
   * await locks.requestRelease('index'); // in another process
   */
  requestRelease(resource: string, signal?: AbortSignal): Promise<boolean> {
    return this.manager.administration.requestRelease(resource, signal);
  }

  /**
   * Elects one of all replicas that subscribe for the same `resource`. Each subscription is a candidate: it waits for the
   * lock, leads while it holds it, and waits again after a loss. Emits `{ leader: false, owner }` at once, and again when it
   * begins to wait for somebody else; `{ leader: true, signal, fencingToken }` is followed by `{ leader: false }` at the
   * moment when the leadership is lost. Unsubscribing ends the wait or the leadership. When the service begins to close, the
   * leadership is handed over at once; the Observable completes when its lock is free.
   *
   * Work that `signal` cannot stop at once belongs in a method with `@Leader`: at a shutdown, the next leader waits for its end.
   *
   * @throws LockConfigurationError if the name or an option is invalid
   * @example
   * locks
   *   .lead('mail-queue')
   *   .pipe(switchMap((state) => (state.leader ? this.sendAll(state.fencingToken) : EMPTY)))
   *   .subscribe();
   */
  lead(resource: string, options: LeadOptions = {}): Observable<Leadership> {
    return this.manager.elections.lead(resource, options);
  }

  /** @internal */
  campaign(resource: string, options: LeadOptions, work: LeaderWork): Campaign {
    return this.manager.elections.campaign(resource, options, work);
  }

  /** @internal */
  scheduledJob(resource: string, options: ScheduledJobOptions): ScheduledJob {
    return this.manager.jobs.job(resource, options);
  }

  /** The printed form. Without it, tools that look for a method `inspect` would call `inspect()` of this class. */
  [inspect.custom](): string {
    return `LockService { owner: '${escapeControls(this.owner)}', state: '${this.state}' }`;
  }

  /**
   * Connects to ZooKeeper, unless an earlier call has done so. Nest calls it before it initialises the modules that use
   * locks.
   *
   * @throws LockUnavailableError unless `lazy`, if ZooKeeper cannot be reached or the session lacks permissions below
   *   `root`
   * @throws LockConfigurationError unless `lazy`, if the chroot does not exist
   */
  async onModuleInit(): Promise<void> {
    await this.manager.lifecycle.start();
  }

  /** Makes held locks keep the process alive from now on. A connection alone never does. Called by Nest. */
  onApplicationBootstrap(): void {
    this.manager.lifecycle.started();
  }

  /**
   * Closes the service: rejects new calls and waiters, gives holders `drainTimeout` to finish, and ends the session, which
   * releases all remaining locks, except those with `failure: 'closed'`. Nest calls it when the application closes. Call it
   * yourself for a service of `createLockService`. Idempotent.
   */
  async close(): Promise<void> {
    await this.manager.lifecycle.close();
  }

  /** Same as `close()`. */
  async [Symbol.asyncDispose](): Promise<void> {
    await this.close();
  }

  /** The first half of `close()`: everything except the end of the session. Called by Nest. */
  async beforeApplicationShutdown(): Promise<void> {
    await this.manager.lifecycle.stop();
  }

  /** The second half of `close()`, after Nest has closed its servers. Called by Nest. */
  async onApplicationShutdown(): Promise<void> {
    await this.manager.lifecycle.close();
  }
}
