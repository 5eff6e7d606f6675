import { take } from 'rxjs';
import { AbortListeners } from './abort-listeners.js';
import { ActiveLocks } from './active-locks.js';
import { notAHandle } from './call-arguments.js';
import type { Clock } from './clock.js';
import type { ConnectionLog } from './connection-log.interface.js';
import { ConnectionMonitor } from './connection-monitor.js';
import { LockClosedError } from './errors/lock-closed.error.js';
import { LazyAbort } from './lazy-abort.js';
import type { HeldLock, HeldLocks } from './held-lock.interface.js';
import { Hold } from './hold.js';
import { Elections } from './leadership/elections.js';
import { LockAdministration } from './lock-administration.js';
import { LockAcquirer } from './lock-acquirer.js';
import { LockEvents } from './lock-events.js';
import { assertLockNames, inLockOrder, type LockNames } from './lock-names.js';
import {
  optionsResolver,
  type LockDefaults,
  type LockOptions,
  type OptionsResolver,
  type ReleaseMode,
  type ResolvedLockOptions,
} from './lock-options.js';
import type { LockProvider, OwnerRecord } from './lock-provider.interface.js';
import { isBusyError } from './is-busy-error.js';
import { thisProcess, type ProcessIdentity } from './process-identity.js';
import { systemRandom, type RandomSource } from './random-source.js';
import { assertResourceName } from './resource-name.js';
import { runHeld } from './run-held.js';
import { ScheduledJobs } from './schedule/scheduled-jobs.js';
import { HoldGroup } from './several/hold-group.js';
import { ShortTtlWarnings } from './short-ttl-warnings.js';
import { SlowWaitWarnings } from './slow-wait-warnings.js';
import { TimeStamps } from './time-stamps.js';

export interface LockManagerOptions {
  readonly defaults: LockDefaults;
  readonly owner: string | undefined;
  readonly release: ReleaseMode;
  /** ms */
  readonly connectTimeout: number;
  /** Do not wait for the first connection. */
  readonly lazy: boolean;
  /** Warn of longer waits, ms; `Infinity` = never. */
  readonly slowWaitWarning: number;
  /** How long a shutdown waits for holders, ms. */
  readonly drainTimeout: number;
  readonly clock: Clock;
  /** Default: the system's. */
  readonly random?: RandomSource;
  /** Default: of this process. */
  readonly identity?: ProcessIdentity | undefined;
  /** Logs a warning for operators. Never throws: it is called between two steps of an attempt. */
  readonly warn: (message: string) => void;
  /** Logs the progress of connecting. */
  readonly connectionLog?: ConnectionLog;
}

/** One name is one hold; several are a group of them. */
type HoldOf<N extends LockNames> = N extends string ? Hold : HoldGroup;

/** Grants locks of one provider: the semantics of locks, independent of Nest and of the store. */
export class LockManager {
  readonly events: LockEvents;
  readonly owner: string;
  // Private also because they contain credentials, which must not appear when a lock service is printed.
  readonly #provider: LockProvider;
  readonly #options: LockManagerOptions;
  readonly #identity: ProcessIdentity;
  readonly #resolveLock: OptionsResolver;
  readonly #resolveTryLock: OptionsResolver;
  readonly #timeStamps = new TimeStamps();
  readonly #monitor: ConnectionMonitor;
  readonly #active = new ActiveLocks();
  readonly #acquirer: LockAcquirer;
  readonly administration: LockAdministration;
  readonly elections: Elections;
  readonly jobs: ScheduledJobs;
  readonly #shortTtlWarnings: ShortTtlWarnings;
  #isOpen = false;
  #starting: Promise<void> | undefined;
  #stopping: Promise<void> | undefined;
  #closing: Promise<void> | undefined;
  /** Aborts when it takes no more calls. */
  readonly #stopped = new LazyAbort<void>();

  constructor(provider: LockProvider, options: LockManagerOptions) {
    this.#provider = provider;
    this.#options = options;
    const {
      clock,
      random = systemRandom,
      identity = thisProcess(),
      connectTimeout,
      release,
      slowWaitWarning,
      warn,
    } = options;
    this.events = new LockEvents(clock);
    this.#identity = identity;
    this.owner = options.owner ?? `${identity.host}:${identity.pid}:${random.uuid().slice(0, 8)}`;
    const service = Symbol(this.owner);
    const defaults = { ...options.defaults, owner: this.owner, hasStableOwner: options.owner !== undefined };
    this.#resolveLock = optionsResolver(defaults);
    this.#resolveTryLock = optionsResolver({ ...defaults, wait: 0 });
    this.#shortTtlWarnings = new ShortTtlWarnings(warn);
    this.#monitor = new ConnectionMonitor(this.events, warn, options.connectionLog);
    this.#acquirer = new LockAcquirer({
      active: this.#active,
      acquisition: {
        provider,
        clock,
        events: this.events,
        connectTimeout,
        slowWaitWarnings: new SlowWaitWarnings({ clock, slowAfterMs: slowWaitWarning, warn }),
        aborts: new AbortListeners(),
        service,
        ownerRecord: (resolved) => this.#ownerRecord(resolved),
        warn,
      },
      hold: {
        clock,
        events: this.events,
        releaseMode: release,
        service,
        releasing: (held, freed) => this.#active.releasing(held, freed),
      },
      admit: (resource) => this.#admit(resource),
    });
    this.administration = new LockAdministration({
      provider,
      active: this.#active,
      assertName: (resource) => this.#assertName(resource),
      admit: (resource, what) => this.#admit(resource, what),
    });
    const longLived = {
      clock,
      events: this.events,
      acquirer: this.#acquirer.patient(),
      closing: this.#stopped,
      resolve: (resource: string, given: LockOptions) => this.#resolve(resource, given),
      isUsable: (resource: string) => provider.isUsable(resource),
    };
    this.elections = new Elections({
      ...longLived,
      inspect: (resource) => this.administration.inspect(resource),
    });
    this.jobs = new ScheduledJobs({ ...longLived, admit: (resource) => this.#admit(resource), warn });
  }

  /** Starts connecting, as the first use does. Idempotent. */
  open(): void {
    if (this.#isOpen || this.#stopped.aborted) return;
    this.#isOpen = true;
    this.#options.connectionLog?.connecting();
    this.#shortTtlWarnings.checkModule(this.#options.defaults.ttl);
    this.#provider.open(this.#monitor);
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
   * The application has started: from now on, holds keep the process alive too. Before, a hold would keep alive a process
   * whose start has failed elsewhere.
   */
  started(): void {
    this.#active.started();
  }

  async lock<N extends LockNames>(names: N, options?: number | LockOptions): Promise<HoldOf<N>> {
    return this.#acquire(names, this.#resolveLock(options), true);
  }

  async tryLock<N extends LockNames>(names: N, options?: number | LockOptions): Promise<HoldOf<N> | null> {
    const resolved = this.#resolveTryLock(options);
    try {
      return await this.#acquire(names, resolved, false);
    } catch (error) {
      if (isBusyError(error, resolved.signal)) return null;
      throw error;
    }
  }

  async unlock(held: HeldLock | HeldLocks): Promise<boolean> {
    if (held instanceof Hold || held instanceof HoldGroup) return held.release();
    throw notAHandle(held);
  }

  async withLock<N extends LockNames, T>(
    names: N,
    options: number | LockOptions | undefined,
    work: (held: HoldOf<N>) => T | PromiseLike<T>,
  ): Promise<T> {
    const held = await this.#acquire(names, this.#resolveLock(options), true);
    return runHeld(held, () => work(held));
  }

  /**
   * First half of a shutdown: stops granting, rejects waiters, and lets holders finish for `drainTimeout`. Remaining holds
   * are lost with reason `shutdown`, but stay locked until their work settles. Idempotent.
   */
  stop(): Promise<void> {
    this.#stopping ??= this.#stop();
    return this.#stopping;
  }

  /** Second half of a shutdown: ends the session, which frees all remaining locks. Idempotent. */
  close(): Promise<void> {
    this.#closing ??= this.#active.during(() => this.#close());
    return this.#closing;
  }

  async #start(): Promise<void> {
    this.open();
    if (this.#options.lazy) {
      this.events.ready$.pipe(take(1)).subscribe(() => void this.#warnUnlessReady());
      return;
    }
    try {
      await this.#active.during(() => this.#provider.ready());
    } catch (error) {
      await this.close();
      throw error;
    }
  }

  async #warnUnlessReady(): Promise<void> {
    try {
      await this.#provider.ready();
    } catch (error) {
      if (!this.#stopped.aborted) this.#options.warn((error as Error).message);
    }
  }

  /** Throws at once for an invalid call: its callers are async, and reject. */
  #acquire<N extends LockNames>(
    names: N,
    options: ResolvedLockOptions,
    describeHolder: boolean,
  ): Promise<HoldOf<N>>;
  #acquire(
    names: LockNames,
    options: ResolvedLockOptions,
    describeHolder: boolean,
  ): Promise<Hold | HoldGroup> {
    assertLockNames(names);
    if (typeof names === 'string') {
      this.#assertAcquirable(names, options);
      this.#admit(names);
      return this.#acquirer.acquire(names, options, describeHolder);
    }
    const resources = inLockOrder(names);
    for (const resource of resources) this.#assertAcquirable(resource, options);
    this.#admit(resources[0]!);
    return this.#acquirer.acquireAll(resources, options, describeHolder);
  }

  #assertAcquirable(resource: string, options: ResolvedLockOptions): void {
    this.#provider.assertStorable(resource);
    if (options.ttl !== this.#options.defaults.ttl) this.#shortTtlWarnings.checkCall(resource, options);
  }

  /** @throws LockClosedError if the service takes no more calls */
  #admit(resource: string, what: 'acquired' | 'inspected' | 'changed' | 'released' = 'acquired'): void {
    if (this.#stopped.aborted) throw new LockClosedError(resource, what);
    this.open();
  }

  /** For calls that are made later. @throws LockConfigurationError */
  #resolve(resource: string, given: LockOptions): ResolvedLockOptions {
    const options = this.#resolveLock(given);
    assertResourceName(resource);
    this.#assertAcquirable(resource, options);
    return options;
  }

  #assertName(resource: string): void {
    assertResourceName(resource);
    this.#provider.assertStorable(resource);
  }

  async #stop(): Promise<void> {
    const { clock, drainTimeout } = this.#options;
    this.#active.closeAcquisitions();
    this.#stopped.abort();
    if (!(await this.#active.drained(clock, drainTimeout))) this.#active.abandonHolds();
  }

  async #close(): Promise<void> {
    await this.stop();
    await this.#provider.close();
    this.#active.closed();
    this.events.emit({ type: 'closed' });
  }

  #ownerRecord({ owner, purpose }: ResolvedLockOptions): OwnerRecord {
    const since = this.#timeStamps.of(this.#options.clock.wall());
    const { host, pid } = this.#identity;
    return purpose === undefined ? { owner, host, pid, since } : { owner, host, pid, since, purpose };
  }
}
