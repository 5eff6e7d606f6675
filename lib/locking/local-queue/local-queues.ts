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
 * the lock passes from one to the next in memory.
 */
export class LocalQueues implements LockProvider {
  readonly #queues = new Map<string, LocalQueue>();

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
    const { resource, immediate } = request;
    const queue = this.#queues.get(resource);
    if (queue === undefined && immediate) return this.#tryOnce(request);
    return (queue ?? this.#open(resource)).join(request);
  }

  async inspect(resource: string, signal?: AbortSignal): Promise<LockSnapshot> {
    return this.describe(await this.#store.inspect(resource, signal));
  }

  /** What the store knows of a queue, with the callers of this process that only this process knows. */
  describe(snapshot: LockSnapshot): LockSnapshot {
    return this.#queues.get(snapshot.resource)?.describe(snapshot) ?? snapshot;
  }

  close(): Promise<void> {
    return this.#store.close();
  }

  /** If callers have begun to wait meanwhile, they have a place of their own in the queue of the store. */
  async #tryOnce(request: EnterRequest): Promise<Grant | Busy> {
    const outcome = await this.#store.enter(request);
    if (outcome.busy || this.#queues.has(request.resource)) return outcome;
    return this.#open(request.resource).begin(outcome, request);
  }

  get #store(): ShareableLockProvider {
    return this.context.store;
  }

  #open(resource: string): LocalQueue {
    const queue: LocalQueue = new LocalQueue(this.context, () => {
      if (this.#queues.get(resource) === queue) this.#queues.delete(resource);
    });
    this.#queues.set(resource, queue);
    return queue;
  }
}
