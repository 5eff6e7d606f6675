import type { Clock } from '../locking/clock.js';
import { LockUnavailableError } from '../locking/errors/lock-unavailable.error.js';
import type {
  Busy,
  EnterRequest,
  Grant,
  LockProvider,
  LockProviderListener,
  LockSnapshot,
} from '../locking/lock-provider.interface.js';
import type { RetryPolicy } from '../locking/retry-policy.js';
import type { Acl, DriverListener, ZooKeeperDriver } from './driver/zookeeper-driver.interface.js';
import { Contender } from './queue/contender.js';
import { ForeignChildren } from './queue/foreign-children.js';
import { LockParents } from './queue/lock-parents.js';
import type { QueueContext } from './queue/queue-context.js';
import { inspectQueue } from './queue/queue-inspection.js';
import { Reaper } from './queue/reaper.js';
import { PlaceLost } from './queue/session-requests.js';
import { SessionKeeper } from './session/session-keeper.js';

export interface ZooKeeperLockProviderOptions {
  readonly clock: Clock;
  readonly retry: RetryPolicy;
  /** Absolute path, chroot included, under which all lock paths stand. */
  readonly root: string;
  readonly acl: readonly Acl[];
  /** The session timeout asked for, ms. */
  readonly sessionTimeout: number;
  /** ms */
  readonly connectTimeout: number;
  readonly createDriver: (listener: DriverListener) => ZooKeeperDriver;
}

/** Keeps the queues of contenders in ZooKeeper, all on one session. */
export class ZooKeeperLockProvider implements LockProvider {
  readonly #keeper: SessionKeeper;
  readonly #context: QueueContext;
  #listener: LockProviderListener | undefined;

  constructor(options: ZooKeeperLockProviderOptions) {
    const { clock, retry, root, acl } = options;
    const warn = (message: string) => this.#listener?.warning(message);
    const parents = new LockParents(acl, clock);
    const reaper = new Reaper({ parents, clock, retry, warn });
    this.#keeper = new SessionKeeper(options);
    this.#context = {
      keeper: this.#keeper,
      parents,
      reaper,
      foreign: new ForeignChildren(warn),
      clock,
      retry,
      root,
      acl,
    };
  }

  open(listener: LockProviderListener): void {
    this.#listener = listener;
    this.#keeper.open(listener);
  }

  async ready(): Promise<void> {
    await this.#keeper.connected();
  }

  enter(request: EnterRequest): Promise<Grant | Busy> {
    return new Contender(request, this.#context).enter();
  }

  async inspect(resource: string, signal?: AbortSignal): Promise<LockSnapshot> {
    try {
      return await inspectQueue(this.#context, resource, signal);
    } catch (error) {
      if (!(error instanceof PlaceLost)) throw error;
      throw new LockUnavailableError(resource, 'the session with ZooKeeper ended during the call', {
        cause: error,
      });
    }
  }

  close(): Promise<void> {
    return this.#keeper.close();
  }
}
