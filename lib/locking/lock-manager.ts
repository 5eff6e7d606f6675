import { AbortListeners } from './abort-listeners.js';
import { ActiveLocks } from './active-locks.js';
import { assertNoWork, notAHandle, withLockArguments, type WithLockArguments } from './call-arguments.js';
import type { Clock } from './clock.js';
import type { ConnectionLog } from './connection-log.interface.js';
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
import { ServiceLifecycle } from './service-lifecycle.js';
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
  readonly lifecycle: ServiceLifecycle;
  readonly administration: LockAdministration;
  readonly elections: Elections;
  readonly jobs: ScheduledJobs;
  // Private also because they contain credentials, which must not appear when a lock service is printed.
  readonly #provider: LockProvider;
  readonly #options: LockManagerOptions;
  readonly #identity: ProcessIdentity;
  readonly #resolveLock: OptionsResolver;
  readonly #resolveTryLock: OptionsResolver;
  readonly #timeStamps = new TimeStamps();
  readonly #active = new ActiveLocks();
  readonly #acquirer: LockAcquirer;
  readonly #shortTtlWarnings: ShortTtlWarnings;

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
    this.lifecycle = new ServiceLifecycle({
      provider,
      active: this.#active,
      events: this.events,
      clock,
      lazy: options.lazy,
      drainTimeout: options.drainTimeout,
      opening: () => this.#shortTtlWarnings.checkModule(options.defaults.ttl),
      warn,
      connectionLog: options.connectionLog,
    });
    const admit = this.lifecycle.admit.bind(this.lifecycle);
    const aborts = new AbortListeners();
    this.#acquirer = new LockAcquirer({
      active: this.#active,
      acquisition: {
        provider,
        clock,
        events: this.events,
        connectTimeout,
        slowWaitWarnings: new SlowWaitWarnings({ clock, slowAfterMs: slowWaitWarning, warn }),
        aborts,
        service,
        ownerRecord: (resolved) => this.#ownerRecord(resolved),
        warn,
      },
      hold: {
        clock,
        events: this.events,
        releaseMode: release,
        service,
      },
      admit,
    });
    this.administration = new LockAdministration({
      provider,
      active: this.#active,
      aborts,
      assertName: (resource) => this.#assertName(resource),
      admit,
      closing: this.lifecycle.stopped,
    });
    const longLived = {
      clock,
      events: this.events,
      acquirer: this.#acquirer.patient(),
      closing: this.lifecycle.stopped,
      resolve: (resource: string, given: LockOptions) => this.#resolve(resource, given),
      isUsable: (resource: string) => provider.isUsable(resource),
      warn,
    };
    this.elections = new Elections({
      ...longLived,
      inspect: (resource) => this.administration.inspect(resource),
    });
    this.jobs = new ScheduledJobs({ ...longLived, admit });
  }

  async lock<N extends LockNames>(
    names: N,
    options?: number | LockOptions,
    ...more: unknown[]
  ): Promise<HoldOf<N>> {
    assertNoWork('lock', more);
    return await this.#acquire(names, this.#resolveLock(options), true);
  }

  async tryLock<N extends LockNames>(
    names: N,
    options?: number | LockOptions,
    ...more: unknown[]
  ): Promise<HoldOf<N> | null> {
    assertNoWork('tryLock', more);
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

  /** Of the arguments, untyped code may have omitted some. */
  async withLock<N extends LockNames, T>(...given: WithLockArguments<N, HoldOf<N>, T>): Promise<T> {
    const { names, options, work } = withLockArguments(given);
    const held = await this.#acquire(names, this.#resolveLock(options), true);
    return await runHeld(held, () => work(held));
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
      this.lifecycle.admit(names);
      return this.#acquirer.acquire(names, options, describeHolder);
    }
    const resources = inLockOrder(names);
    for (const resource of resources) this.#assertAcquirable(resource, options);
    this.lifecycle.admit(resources[0]!);
    return this.#acquirer.acquireAll(resources, options, describeHolder);
  }

  #assertAcquirable(resource: string, options: ResolvedLockOptions): void {
    this.#provider.assertStorable(resource);
    if (options.ttl !== this.#options.defaults.ttl) this.#shortTtlWarnings.checkCall(resource, options);
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

  #ownerRecord({ owner, purpose }: ResolvedLockOptions): OwnerRecord {
    const since = this.#timeStamps.of(this.#options.clock.wall());
    const { host, pid } = this.#identity;
    return purpose === undefined ? { owner, host, pid, since } : { owner, host, pid, since, purpose };
  }
}
