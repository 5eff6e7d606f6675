import { LazyAbort } from '../lazy-abort.js';
import type {
  Busy,
  EnterRequest,
  Predecessor,
  QueuedPlace,
  ShareableGrant,
  ShareableLockProvider,
} from '../lock-provider.interface.js';

/** Who waits for a place in the queue of the store. */
export interface StoreEntryObserver {
  placed(entry: StoreEntry, place: QueuedPlace): void;
  /** Who is directly ahead in the queue of the store. */
  predecessorRead(predecessor: Predecessor): void;
  /** Whether it matters who else is in the queue. */
  wantsOthers(): boolean;
  ended(entry: StoreEntry, outcome: ShareableGrant | Busy): void;
  failed(entry: StoreEntry, error: unknown): void;
}

/** A place in the queue of the store that callers of one process share, from the request for it to its grant. */
export class StoreEntry {
  /** Where it stands; undefined before it is in the queue. */
  place: QueuedPlace | undefined;
  /** Who is directly ahead, when that could be read. */
  predecessor: Predecessor | undefined;
  readonly #abort = new LazyAbort();

  /**
   * @param first the caller whose name the place has in the store
   * @param maxWaiters how many waiters may be ahead of the place
   */
  constructor(
    readonly first: EnterRequest,
    maxWaiters: number,
    observer: StoreEntryObserver,
    enterStore: ShareableLockProvider['enter'],
  ) {
    const { resource, mode, failure, fair, permits, owner, describeHolder } = first;
    // Written out: spreading `first` costs several times as much.
    const outcome = enterStore({
      resource,
      mode,
      failure,
      fair,
      permits,
      owner,
      maxWaiters,
      describeHolder,
      immediate: false,
      wantsOthers: () => observer.wantsOthers(),
      abort: this.#abort,
      onQueued: (place: QueuedPlace) => {
        this.place = place;
        observer.placed(this, place);
      },
      onPredecessor: (predecessor: Predecessor) => {
        this.predecessor = predecessor;
        observer.predecessorRead(predecessor);
      },
    });
    outcome.then(
      (granted) => observer.ended(this, granted),
      (error: unknown) => observer.failed(this, error),
    );
  }

  /** Nobody waits for it any more. */
  leave(): void {
    this.#abort.abort(new Error('Nobody waits for this place any more'));
  }
}
