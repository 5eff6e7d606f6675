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

/**
 * Puts a queue of this process before the queue of the store, for each resource: many callers share one place there, and
 * the lock passes from one to the next in memory. Callers with `exclusive` and with `write` have different places, because
 * clients of other libraries tell them apart. Those with `read` and `semaphore` go to the store: they need not wait for each
 * other. So do those with `failure: 'closed'`, because the store has to know each owner, and those with `fair: false`, which have
 * no place: the lock goes to whoever is first, in whatever process.
 */
export class LocalQueues implements LockProvider {
  readonly #queues = { exclusive: new Map<string, LocalQueue>(), write: new Map<string, LocalQueue>() };

  constructor(private readonly context: LocalQueueContext) {}

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
    const isShared = mode === 'read' || mode === 'semaphore';
    if (isShared || failure === 'closed' || !fair) return this.#store.enter(request);
    const queues = this.#queues[mode];
    const queue = queues.get(resource);
    if (queue === undefined && immediate) return this.#tryOnce(request, queues);
    return (queue ?? this.#open(resource, queues)).join(request);
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
    const { exclusive, write } = this.#queues;
    const described = exclusive.get(snapshot.resource)?.describe(snapshot, 'exclusive') ?? snapshot;
    return write.get(snapshot.resource)?.describe(described, 'write') ?? described;
  }

  close(): Promise<void> {
    return this.#store.close();
  }

  /** If callers have begun to wait meanwhile, they have a place of their own in the queue of the store. */
  async #tryOnce(request: EnterRequest, queues: Map<string, LocalQueue>): Promise<Grant | Busy> {
    const outcome = await this.#store.enter(request);
    if (outcome.busy || queues.has(request.resource)) return outcome;
    return this.#open(request.resource, queues).begin(outcome, request);
  }

  get #store(): ShareableLockProvider {
    return this.context.store;
  }

  #open(resource: string, queues: Map<string, LocalQueue>): LocalQueue {
    const queue: LocalQueue = new LocalQueue(this.context, () => {
      if (queues.get(resource) === queue) queues.delete(resource);
    });
    queues.set(resource, queue);
    return queue;
  }
}
