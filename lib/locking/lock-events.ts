import { BehaviorSubject, Observable, Subject, concat, defer, filter, of } from 'rxjs';
import type { Clock } from './clock.js';
import { outsideHolds } from './current-lock.js';
import { isolated } from './isolated.js';
import type {
  ConnectionState,
  LockEvent,
  LostEvent,
  ReadyEvent,
  ResourceEvent,
  ResumedEvent,
  SuspendedEvent,
  TtlExpiredEvent,
} from './lock-event.interface.js';
import { assertResourceName } from './resource-name.js';

/** An event without its timestamp. */
export type NewLockEvent = LockEvent extends infer E ? (E extends LockEvent ? Omit<E, 'at'> : never) : never;

/** What happens all the time while all is well. Nobody but a subscriber needs to know. */
const ROUTINE: ReadonlySet<LockEvent['type']> = new Set(['waiting', 'acquired', 'released']);

/** Where events go. */
export interface EventSink {
  /** False if nobody listens to `waiting`, `acquired` and `released`: then they need not be made. */
  readonly hearsRoutine: boolean;
  /** Takes the event over, and adds its timestamp. */
  emit(event: NewLockEvent): void;
}

/**
 * The event streams of one resource.
 *
 * @publicApi
 */
export interface ResourceEvents {
  readonly events$: Observable<ResourceEvent>;
  readonly ttlExpired$: Observable<TtlExpiredEvent>;
  readonly lost$: Observable<LostEvent>;
}

const STATE_AFTER: Partial<Record<LockEvent['type'], ConnectionState>> = {
  ready: 'connected',
  resumed: 'connected',
  suspended: 'suspended',
  sessionExpired: 'expired',
  authenticationFailed: 'closed',
  closed: 'closed',
};

/**
 * The event streams of one lock service. Hot and without replay, except for `state$` (the last state) and `ready$` (the
 * current connection). An event emitted by a subscriber is delivered after the current one, so that all subscribers see
 * the same order. Subscribers run outside all holds and for no caller: they are not part of the code whose lock an event is about,
 * and a lock that they ask for must not be nested in its holds. All streams complete after `closed`.
 */
export class LockEvents implements EventSink {
  readonly #events = new Subject<LockEvent>();
  readonly #state = new BehaviorSubject<ConnectionState>('connecting');
  readonly #notable = new Subject<LockEvent>();
  readonly #resources = new Map<string, Subject<ResourceEvent>>();
  /** That is being delivered. */
  #current: LockEvent | undefined;
  /** Emitted while another one is being delivered. */
  readonly #queue: LockEvent[] = [];
  #delivering = false;
  #isComplete = false;
  #connected: ReadyEvent | ResumedEvent | undefined;

  readonly events$ = this.#events.asObservable();
  /** For the log: all but the routine. After `closed`, failures of work that was left behind, which are to be seen nowhere else. */
  readonly notable$ = this.#notable.asObservable();
  /** A completed `BehaviorSubject` has no value for those who come later. */
  readonly state$ = defer(() => (this.#isComplete ? of(this.state) : this.#state));
  readonly disconnected$ = this.#ofType<SuspendedEvent>('suspended');
  readonly ttlExpired$ = this.#ofType<TtlExpiredEvent>('ttlExpired');
  readonly lost$ = this.#ofType<LostEvent>('lost');
  readonly ready$: Observable<ReadyEvent | ResumedEvent> = defer(() => {
    // The state changes before the event is emitted: a subscriber that comes in between would get the event twice.
    const connected = this.#connected;
    const later$ = this.#ofType<ReadyEvent | ResumedEvent>('ready', 'resumed');
    return connected === undefined
      ? later$
      : concat(of(connected), later$.pipe(filter((event) => event !== connected)));
  });

  constructor(private readonly clock: Clock) {}

  get state(): ConnectionState {
    return this.#state.value;
  }

  get hearsRoutine(): boolean {
    return this.#events.observed || this.#resources.size > 0;
  }

  /** @throws LockConfigurationError for an invalid resource name, which would never have an event */
  forResource(resource: string): ResourceEvents {
    assertResourceName(resource);
    const events$ = this.#ofResource(resource);
    return {
      events$,
      ttlExpired$: events$.pipe(filter((event) => event.type === 'ttlExpired')),
      lost$: events$.pipe(filter((event) => event.type === 'lost')),
    };
  }

  /** Its subscribers are found by the name: with thousands of them, each event would otherwise ask all. */
  #ofResource(resource: string): Observable<ResourceEvent> {
    return new Observable((subscriber) => {
      if (this.#isComplete) return subscriber.complete();
      const subject = this.#resources.get(resource) ?? new Subject<ResourceEvent>();
      this.#resources.set(resource, subject);
      // Others get it first: who subscribes because of it would have it again.
      const current = this.#current;
      subscriber.add(subject.pipe(filter((event) => event !== current)).subscribe(subscriber));
      subscriber.add(() => {
        if (!subject.observed && this.#resources.get(resource) === subject) this.#resources.delete(resource);
      });
    });
  }

  emit(event: NewLockEvent): void {
    const stamped: LockEvent = Object.assign(event, { at: this.clock.wall() });
    if (this.#delivering) this.#queue.push(stamped);
    else outsideHolds(() => this.#deliverAll(stamped));
  }

  /** Events that `tell` causes are delivered when it has returned: a thousand lines of a log take longer than a thousand signals. */
  together(tell: () => void): void {
    if (this.#delivering) return tell();
    this.#delivering = true;
    try {
      tell();
    } finally {
      outsideHolds(() => this.#deliverQueued());
    }
  }

  #deliverAll(first: LockEvent): void {
    this.#delivering = true;
    this.#deliver(first);
    this.#deliverQueued();
  }

  #deliverQueued(): void {
    // Also those that subscribers cause meanwhile.
    for (const event of this.#queue) this.#deliver(event);
    this.#queue.length = 0;
    this.#delivering = false;
    this.#current = undefined;
  }

  /**
   * Does not throw: rxjs 7 reports an error of a subscriber as an uncaught exception in a later turn. Some subscribers throw
   * nevertheless: objects of a class of their own, and all of them with `useDeprecatedSynchronousErrorHandling`.
   */
  #deliver(event: LockEvent): void {
    this.#current = event;
    if (this.#isComplete) {
      if (event.type === 'workRejected') isolated(() => this.#notable.next(event));
      return;
    }
    isolated(() => this.#trackState(event));
    if (!ROUTINE.has(event.type)) isolated(() => this.#notable.next(event));
    isolated(() => this.#events.next(event));
    if ('resource' in event) isolated(() => this.#resources.get(event.resource)?.next(event));
    if (event.type !== 'closed') return;
    this.#isComplete = true;
    isolated(() => this.#events.complete());
    for (const subject of this.#resources.values()) isolated(() => subject.complete());
    isolated(() => this.#state.complete());
  }

  #trackState(event: LockEvent): void {
    const state = STATE_AFTER[event.type];
    if (state === undefined) return;
    this.#connected = event.type === 'ready' || event.type === 'resumed' ? event : undefined;
    if (state !== this.#state.value) this.#state.next(state);
  }

  #ofType<E extends LockEvent>(...types: E['type'][]): Observable<E> {
    return this.#events.pipe(filter((event): event is E => types.includes(event.type)));
  }
}
