import type {
  Busy,
  EnterRequest,
  Grant,
  LockProvider,
  LockProviderListener,
  LockSnapshot,
  ShareableLockProvider,
} from '../lock-provider.interface.js';
import { LocalQueue, type LocalQueueContext } from './local-queue.js';

/** The modes whose callers share places in the store. */
const MODES = ['exclusive', 'write', 'read'] as const;
type QueuedMode = (typeof MODES)[number];

/**
 * Puts a queue of this process before the queue of the store, for each resource: many callers share one place there, and
 * the lock passes from one to the next in memory. Callers with `exclusive` and with `write` have different places, because
 * clients of other libraries tell them apart. Those with `read` have a place of their own, too, and hold the lock together.
 * Those with `semaphore` go to the store, because each needs a permit. So do those with `failure: 'closed'`, because the store
 * has to know each owner, and those with `fair: false`, which have no place: the lock goes to whoever is first, in whatever
 * process.
 */
export class LocalQueues implements LockProvider {
  readonly #queues: Readonly<Record<QueuedMode, Map<string, LocalQueue>>> = {
    exclusive: new Map(),
    write: new Map(),
    read: new Map(),
  };

  constructor(private readonly context: Omit<LocalQueueContext, 'shares'>) {}

  get storeName(): string {
    return this.#store.storeName;
  }

  open(listener: LockProviderListener): void {
    this.#store.open(listener);
  }

  ready(): Promise<void> {
    return this.#store.ready();
  }

  assertStorable(resource: string): void {
    this.#store.assertStorable(resource);
  }

  enter(request: EnterRequest): Promise<Grant | Busy> {
    const { resource, mode, failure, fair, immediate } = request;
    if (mode === 'semaphore' || failure === 'closed' || !fair) return this.#store.enter(request);
    const queue = this.#queues[mode].get(resource);
    if (!immediate) return (queue ?? this.#open(resource, mode)).join(request);
    if (queue === undefined) return this.#tryOnce(request, mode);
    return mode === 'read' ? this.#tryRead(request, queue) : queue.join(request);
  }

  async inspect(resource: string, signal?: AbortSignal): Promise<LockSnapshot> {
    return this.describe(await this.#store.inspect(resource, signal));
  }

  setPermits(resource: string, permits: number, signal?: AbortSignal): Promise<boolean> {
    return this.#store.setPermits(resource, permits, signal);
  }

  forceRelease(resource: string, token: bigint, signal?: AbortSignal): Promise<boolean> {
    return this.#store.forceRelease(resource, token, signal);
  }

  requestRelease(resource: string, signal?: AbortSignal): Promise<boolean> {
    return this.#store.requestRelease(resource, signal);
  }

  /** What the store knows of a queue, with the callers of this process that only this process knows. */
  describe(snapshot: LockSnapshot): LockSnapshot {
    return MODES.reduce(
      (described, mode) => this.#queues[mode].get(snapshot.resource)?.describe(described, mode) ?? described,
      snapshot,
    );
  }

  close(): Promise<void> {
    return this.#store.close();
  }

  /** If callers have begun to wait meanwhile, they have a place of their own in the queue of the store. */
  async #tryOnce(request: EnterRequest, mode: QueuedMode): Promise<Grant | Busy> {
    const outcome = await this.#store.enter(request);
    if (outcome.busy || this.#queues[mode].has(request.resource)) return outcome;
    return this.#open(request.resource, mode).begin(outcome, request);
  }

  /** Who waits in this process may be about to have the lock: only the store knows whether somebody else keeps readers from it. */
  async #tryRead(request: EnterRequest, queue: LocalQueue): Promise<Grant | Busy> {
    const outcome = await queue.join(request);
    return outcome.busy ? this.#store.enter(request) : outcome;
  }

  get #store(): ShareableLockProvider {
    return this.context.store;
  }

  #open(resource: string, mode: QueuedMode): LocalQueue {
    const queues = this.#queues[mode];
    const queue: LocalQueue = new LocalQueue({ ...this.context, shares: mode === 'read' }, () => {
      if (queues.get(resource) === queue) queues.delete(resource);
    });
    queues.set(resource, queue);
    return queue;
  }
}
