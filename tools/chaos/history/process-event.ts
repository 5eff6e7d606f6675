/**
 * How an attempt ended without a hold. `skipped`: a locked method was not called, as the lock was busy or its wait passed;
 * `untyped` is an error the library should never let out.
 */
export type Outcome =
  'busy' | 'skipped' | 'timedOut' | 'aborted' | 'unavailable' | 'closed' | 'lost' | 'untyped';

/** What giving a hold back came to; `disposed` does not say. */
export type ReleaseOutcome = 'kept' | 'lost' | 'disposed' | 'untyped';

export type Verb = 'lock' | 'tryLock' | 'withLock' | '@Locked';

/** Who saw it, and when: `process.hrtime.bigint()`, which on one machine is comparable between processes. */
interface Stamped {
  readonly at: bigint;
  /** Process and life: the second life of process 3 is `p3.2`. */
  readonly actor: string;
}

/** What happens to one attempt, named after its actor: the 17th of `p3.2` is `p3.2#17`. */
type AttemptEvent =
  | {
      readonly what: 'asked';
      readonly attempt: string;
      readonly resource: string;
      readonly verb: Verb;
      /** ms; absent for one without a limit. */
      readonly wait?: number;
      readonly ttl: number;
      readonly minHold: number;
    }
  /** The caller aborts its own signal. */
  | { readonly what: 'aborting'; readonly attempt: string }
  /** The acquisition has returned. In all events, `held` is what `isHeld()` said right after the stamp. */
  | { readonly what: 'granted'; readonly attempt: string; readonly token: bigint; readonly held: boolean }
  | { readonly what: 'ended'; readonly attempt: string; readonly outcome: Outcome; readonly detail?: string }
  /** A look at `isHeld()`, every few milliseconds of a hold. */
  | { readonly what: 'looked'; readonly attempt: string; readonly held: boolean }
  /** The signal of the hold aborted. */
  | { readonly what: 'signalled'; readonly attempt: string; readonly detail: string }
  /** The work is over; whatever gives the lock back is called next. */
  | { readonly what: 'releasing'; readonly attempt: string; readonly held: boolean }
  /** The call that gave the lock back has returned; for `withLock` that is its own end. */
  | {
      readonly what: 'released';
      readonly attempt: string;
      readonly outcome: ReleaseOutcome;
      readonly detail?: string;
    }
  /** An event of the lock service. */
  | {
      readonly what: 'told';
      readonly attempt: string;
      readonly event: string;
      readonly requeued?: boolean;
      readonly detail?: string;
    };

/** What happens to a process as a whole. */
type LifeEvent =
  | {
      readonly what: 'connection';
      readonly state: 'ready' | 'suspended' | 'resumed' | 'sessionExpired';
      readonly detail: string;
    }
  /** The event loop stood still for so long, up to the stamp. */
  | { readonly what: 'lagged'; readonly ms: number }
  | { readonly what: 'warned'; readonly detail: string }
  /** Everything was let go, and nothing is left that would keep the process alive. */
  | { readonly what: 'left' }
  /** A rejection, an exception or a warning of Node's that nobody handled. */
  | { readonly what: 'unhandled'; readonly detail: string };

export type ProcessEvent = Stamped & (AttemptEvent | LifeEvent);

/** An event before its stamp. */
export type NewProcessEvent = AttemptEvent | LifeEvent;

/** An event of an attempt before its stamp and the attempt's name. */
export type NewAttemptEvent = AttemptEvent extends infer E
  ? E extends AttemptEvent
    ? Omit<E, 'attempt'>
    : never
  : never;

export type ProcessEventOf<W extends ProcessEvent['what']> = Extract<ProcessEvent, { readonly what: W }>;
