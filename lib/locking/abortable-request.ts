import type { LazyAbort } from './lazy-abort.js';
import type { LockMode } from './lock-options.js';
import type { EnterRequest, OwnerRecord, QueuedPlace } from './lock-provider.interface.js';

/** A request that ends when `abort` does. It has a signal only if somebody reads that. */
export class AbortableRequest implements EnterRequest {
  readonly resource: string;
  readonly mode: LockMode;
  readonly owner: OwnerRecord;
  readonly immediate: boolean;
  readonly maxWaiters: number;
  readonly describeHolder: boolean;
  readonly onQueued: (place: QueuedPlace) => void;
  readonly onPredecessor: (owner: string) => void;

  constructor(
    request: Omit<EnterRequest, 'signal' | 'onAbort'>,
    private readonly abort: LazyAbort,
  ) {
    this.resource = request.resource;
    this.mode = request.mode;
    this.owner = request.owner;
    this.immediate = request.immediate;
    this.maxWaiters = request.maxWaiters;
    this.describeHolder = request.describeHolder;
    this.onQueued = request.onQueued;
    this.onPredecessor = request.onPredecessor;
  }

  get signal(): AbortSignal {
    return this.abort.signal;
  }

  onAbort(callback: (reason: unknown) => void): () => void {
    return this.abort.onAbort(callback);
  }
}
