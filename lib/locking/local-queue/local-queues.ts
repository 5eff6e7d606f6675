import type { Abort } from '../abort.js';
import type { Clock } from '../clock.js';
import { orAborted } from '../abortable.js';
import type {
  Busy,
  EnterRequest,
  Grant,
  LockProvider,
  LockProviderListener,
  LockQuestion,
  LockSnapshot,
  ShareableGrant,
  ShareableLockProvider,
  StoreTrouble,
} from '../lock-provider.interface.js';
import { EndingTurns } from './ending-turns.js';
import { LocalQueue, type LocalQueueContext } from './local-queue.js';

interface LocalQueuesOptions {
  readonly store: ShareableLockProvider;
  readonly clock: Clock;
  /** `TurnContext.handOver` */
  readonly handOver: number;
  /** How long a lock that nobody wants is kept, ms. */
  readonly linger: number;
}

/** The kinds of locks whose callers share places in the store, with their modes. */
const MODES = { exclusive: 'exclusive', write: 'write', read: 'read', unfair: 'exclusive' } as const;
type Kind = keyof typeof MODES;
const KINDS = Object.keys(MODES) as readonly Kind[];

/** Undefined for callers that each have a place of their own. */
function kindOf({ mode, failure, fair }: LockQuestion): Kind | undefined {
  if (mode === 'semaphore' || failure === 'closed') return undefined;
  return fair ? mode : 'unfair';
}

/**
 * Puts a queue of this process before the queue of the store, for each resource: many callers share one place there, and
 * the lock passes from one to the next in memory. Callers with `exclusive` and with `write` have different places, because
 * clients of other libraries tell them apart. Those with `read` have a place of their own, too, and hold the lock together.
 * With `fair: false` the store has no places, but one caller of each process tries to get the lock, instead of all of them.
 * Those with `semaphore` go to the store, because each needs a permit. So do those with `failure: 'closed'`, because the store
 * has to know each owner.
 */
export class LocalQueues implements LockProvider {
  readonly #queues: Readonly<Record<Kind, Map<string, LocalQueue>>> = {
    exclusive: new Map(),
    write: new Map(),
    read: new Map(),
    unfair: new Map(),
  };

  readonly #store: ShareableLockProvider;
  readonly #ending = new EndingTurns();
  readonly #contexts: Readonly<Record<'shared' | 'excluding', LocalQueueContext>>;
  #isStopping = false;

  constructor({ store, linger, ...rest }: LocalQueuesOptions) {
    this.#store = store;
    const lingerNow = (): number => (this.#isStopping ? 0 : linger);
    const enterStore = (request: EnterRequest) => this.#enterStore(request);
    const context = { ...rest, linger: lingerNow, enterStore };
    this.#contexts = { shared: { ...context, shares: true }, excluding: { ...context, shares: false } };
  }

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

  inContact(resource: string): boolean {
    return this.#store.inContact(resource);
  }

  isHeldHere(request: LockQuestion): boolean {
    const kind = kindOf(request);
    return kind !== undefined && this.#queues[kind].get(request.resource)?.isHeld === true;
  }

  isUsable(resource: string): boolean {
    return this.#store.isUsable(resource);
  }

  trouble(resource: string): StoreTrouble | undefined {
    return this.#store.trouble(resource);
  }

  enter(request: EnterRequest): Promise<Grant | Busy> {
    const { resource, immediate } = request;
    const kind = kindOf(request);
    if (kind === undefined) return this.#enterStore(request);
    const queue = this.#queues[kind].get(resource);
    if (!immediate) return (queue ?? this.#open(resource, kind)).join(request);
    if (queue?.isIdle !== false) return this.#tryOnce(request, kind);
    return kind === 'read' ? this.#tryRead(request, queue) : queue.join(request);
  }

  async inspect(resource: string, abort?: Abort): Promise<LockSnapshot> {
    return this.describe(await this.#store.inspect(resource, abort));
  }

  setPermits(resource: string, permits: number, abort?: Abort): Promise<boolean> {
    return this.#store.setPermits(resource, permits, abort);
  }

  forceRelease(resource: string, token: bigint, abort?: Abort): Promise<boolean> {
    return this.#store.forceRelease(resource, token, abort);
  }

  requestRelease(resource: string, abort?: Abort): Promise<boolean> {
    return this.#store.requestRelease(resource, abort);
  }

  /** What the store knows of a queue, with the callers of this process that only this process knows. */
  describe(snapshot: LockSnapshot): LockSnapshot {
    return KINDS.reduce(
      (described, kind) =>
        this.#queues[kind].get(snapshot.resource)?.describe(described, MODES[kind]) ?? described,
      snapshot,
    );
  }

  stop(): void {
    this.#isStopping = true;
    for (const kind of KINDS) for (const queue of [...this.#queues[kind].values()]) queue.endIdleTurn();
  }

  close(): Promise<void> {
    return this.#store.close();
  }

  /** If callers have begun to wait meanwhile, they have a place of their own in the queue of the store. */
  async #tryOnce(request: EnterRequest, kind: Kind): Promise<Grant | Busy> {
    const { resource } = request;
    const outcome = await this.#enterStore(request);
    const queue = this.#queues[kind].get(resource);
    if (outcome.busy || queue?.isIdle === false) return outcome;
    return (queue ?? this.#open(resource, kind)).begin(outcome, request);
  }

  /**
   * Who waits in this process may be about to have the lock: only the store knows whether somebody else keeps readers
   * from it.
   */
  async #tryRead(request: EnterRequest, queue: LocalQueue): Promise<Grant | Busy> {
    const outcome = await queue.join(request);
    return outcome.busy ? this.#enterStore(request) : outcome;
  }

  /** Asks the store, without those turns of other kinds that only linger. */
  #enterStore(request: EnterRequest): Promise<ShareableGrant | Busy> {
    const { resource, abort } = request;
    const kind = kindOf(request);
    for (const other of KINDS) {
      const release = other === kind ? undefined : this.#queues[other].get(resource)?.endIdleTurn();
      if (release !== undefined) this.#ending.add(resource, release);
    }
    const end = this.#ending.of(resource);
    if (end === undefined) return this.#store.enter(request);
    return orAborted(abort, [end]).then(() => this.#store.enter(request));
  }

  #open(resource: string, kind: Kind): LocalQueue {
    const queues = this.#queues[kind];
    const unused = (): void => {
      if (queues.get(resource) === queue) queues.delete(resource);
    };
    const context = this.#contexts[kind === 'read' ? 'shared' : 'excluding'];
    const queue = new LocalQueue(context, unused, () => this.#store.inContact(resource));
    queues.set(resource, queue);
    return queue;
  }
}
