import { randomUUID } from 'node:crypto';
import { hostname } from 'node:os';
import { AbortListeners } from './abort-listeners.js';
import { Acquisition, type AcquisitionContext } from './acquisition.js';
import { notAHandle } from './call-arguments.js';
import type { Clock } from './clock.js';
import { Connectivity } from './connectivity.js';
import { outsideHolds } from './current-lock.js';
import { LockClosedError } from './errors/lock-closed.error.js';
import { LockConfigurationError } from './errors/lock-configuration.error.js';
import type { HeldLock } from './held-lock.interface.js';
import { Hold, type HoldContext } from './hold.js';
import { LockEvents } from './lock-events.js';
import {
  problemOfSignal,
  resolveLockOptions,
  type LockDefaults,
  type LockOptions,
  type ReleaseMode,
  type ResolvedLockOptions,
} from './lock-options.js';
import type { LockProvider, LockSnapshot, OwnerRecord } from './lock-provider.interface.js';
import { meansBusy } from './means-busy.js';
import { assertResourceName } from './resource-name.js';
import { runHeld } from './run-held.js';
import { ShortTtls } from './short-ttls.js';
import { SlowWaits } from './slow-waits.js';

export interface LockManagerOptions {
  readonly defaults: LockDefaults;
  readonly owner: string | undefined;
  readonly release: ReleaseMode;
  /** ms */
  readonly connectTimeout: number;
  /** How long a shutdown waits for holders, ms. */
  readonly drainTimeout: number;
  readonly clock: Clock;
  /** Receives what an operator should read. */
  readonly warn: (message: string) => void;
}

const SLOW_WAIT_MS = 30_000;

/** Grants locks of one provider: everything a lock means that neither Nest nor the store has to know. */
export class LockManager {
  readonly events: LockEvents;
  readonly owner: string;
  readonly #connectivity: Connectivity;
  readonly #acquisitions = new Set<Acquisition>();
  readonly #holds = new Set<Hold>();
  readonly #acquisitionContext: AcquisitionContext;
  readonly #holdContext: HoldContext;
  readonly #shortTtls: ShortTtls;
  #stopping: Promise<void> | undefined;
  #closing: Promise<void> | undefined;
  #ended: () => void = () => {};

  constructor(
    private readonly provider: LockProvider,
    private readonly options: LockManagerOptions,
  ) {
    const { clock, connectTimeout, release, warn } = options;
    this.events = new LockEvents(clock);
    this.owner = options.owner ?? `${hostname()}:${process.pid}:${randomUUID().slice(0, 8)}`;
    this.#shortTtls = new ShortTtls(warn);
    this.#connectivity = new Connectivity(this.events, warn);
    this.#acquisitionContext = {
      provider,
      clock,
      events: this.events,
      connectTimeout,
      slowWaits: new SlowWaits({ clock, slowAfterMs: SLOW_WAIT_MS, warn }),
      aborts: new AbortListeners(),
      ownerRecord: (resolved) => this.#ownerRecord(resolved),
      warn,
    };
    this.#holdContext = {
      clock,
      events: this.events,
      releaseMode: release,
      ended: (held) => this.#forget(held),
    };
  }

  /** Starts connecting. */
  open(): void {
    this.#shortTtls.ofModule(this.options.defaults.ttl);
    this.provider.open(this.#connectivity);
  }

  /** @throws LockUnavailableError if ZooKeeper cannot be reached within `connectTimeout` */
  ready(): Promise<void> {
    return this.provider.ready();
  }

  async lock(resource: string, options?: number | LockOptions): Promise<Hold> {
    return this.#acquire(resource, this.#resolve(options), true);
  }

  async tryLock(resource: string, options?: number | LockOptions): Promise<Hold | null> {
    const resolved = this.#resolve(options, 0);
    try {
      return await this.#acquire(resource, resolved, false);
    } catch (error) {
      if (meansBusy(error, resolved.signal)) return null;
      throw error;
    }
  }

  async unlock(held: HeldLock): Promise<boolean> {
    if (held instanceof Hold) return held.release();
    throw notAHandle(held);
  }

  async withLock<T>(
    resource: string,
    options: number | LockOptions | undefined,
    work: (held: HeldLock) => T | PromiseLike<T>,
  ): Promise<T> {
    const held = await this.lock(resource, options);
    return runHeld(held, () => work(held));
  }

  async inspect(resource: string, signal?: AbortSignal): Promise<LockSnapshot> {
    this.#assertName(resource);
    for (const problem of problemOfSignal(signal)) throw new LockConfigurationError(problem);
    if (this.#stopping !== undefined) throw new LockClosedError(resource, 'inspected');
    return this.provider.inspect(resource, signal);
  }

  /**
   * First half of a shutdown: no new grants, waiters are refused, holders may finish for `drainTimeout`; what they hold
   * after that is lost to them with reason `shutdown`, but stays locked until their work settles. Idempotent.
   */
  stop(): Promise<void> {
    this.#stopping ??= this.#stop();
    return this.#stopping;
  }

  /** Second half: ends the session, which frees whatever is left. Idempotent. */
  close(): Promise<void> {
    this.#closing ??= this.#close();
    return this.#closing;
  }

  async #acquire(resource: string, options: ResolvedLockOptions, describeHolder: boolean): Promise<Hold> {
    this.#assertName(resource);
    if (this.#stopping !== undefined) throw new LockClosedError(resource);
    if (options.ttl !== this.options.defaults.ttl) this.#shortTtls.ofCall(resource, options);
    const acquisition = new Acquisition(resource, options, this.#acquisitionContext);
    this.#acquisitions.add(acquisition);
    try {
      const grant = await outsideHolds(() => acquisition.run(describeHolder));
      const held = new Hold(resource, options, grant, this.#holdContext);
      this.#holds.add(held);
      held.start();
      return held;
    } finally {
      this.#acquisitions.delete(acquisition);
      this.#ended();
    }
  }

  #assertName(resource: string): void {
    assertResourceName(resource);
    this.provider.assertStorable(resource);
  }

  async #stop(): Promise<void> {
    for (const acquisition of this.#acquisitions) acquisition.close();
    const drained = await this.#drained();
    if (drained) return;
    for (const held of this.#holds) held.abandon();
  }

  /**
   * True when nothing is left, false when `drainTimeout` has passed before. An acquisition that is being granted in this
   * very moment still becomes a hold.
   */
  #drained(): Promise<boolean> {
    const idle = () => this.#holds.size === 0 && this.#acquisitions.size === 0;
    if (idle()) return Promise.resolve(true);
    return new Promise((resolve) => {
      const timer = this.options.clock.setTimer(() => resolve(false), this.options.drainTimeout, true);
      this.#ended = () => {
        if (!idle()) return;
        timer.cancel();
        resolve(true);
      };
    });
  }

  async #close(): Promise<void> {
    await this.stop();
    await this.provider.close();
    this.events.emit({ type: 'closed' });
  }

  #forget(held: Hold): void {
    this.#holds.delete(held);
    this.#ended();
  }

  #resolve(
    options: number | LockOptions | undefined,
    wait = this.options.defaults.wait,
  ): ResolvedLockOptions {
    return resolveLockOptions(options, { ...this.options.defaults, wait, owner: this.owner });
  }

  #ownerRecord({ owner, purpose }: ResolvedLockOptions): OwnerRecord {
    const since = new Date(this.options.clock.wall()).toISOString();
    return {
      owner,
      host: hostname(),
      pid: process.pid,
      since,
      ...(purpose === undefined ? {} : { purpose }),
    };
  }
}
