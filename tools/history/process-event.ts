import type { LockFailure, LockMode } from '../../lib/index.js';

/**
 * How an attempt ended without a hold. `otherPermits`: the semaphore has another number of permits; `otherFairness`: the lock is in
 * use with another value of `fair`; `skipped`: a locked method was not called, because the lock was busy or the wait timed
 * out; `untyped`: an error that the library does not document.
 */
export type Outcome =
  | 'busy'
  | 'skipped'
  | 'timedOut'
  | 'aborted'
  | 'unavailable'
  | 'closed'
  | 'lost'
  | 'otherPermits'
  | 'otherFairness'
  | 'untyped';

/** The result of a release; disposal returns none. */
export type ReleaseOutcome = 'kept' | 'lost' | 'disposed' | 'untyped';

export type Verb = 'lock' | 'tryLock' | 'withLock' | '@Locked' | 'lead';

interface Recorded {
  /** In ns, on one clock for all processes. */
  readonly at: bigint;
  /** The process and its incarnation: the second incarnation of process 3 is `p3.2`. */
  readonly actor: string;
}

/** An event of one attempt, which is named after its actor: the 17th attempt of `p3.2` is `p3.2#17`. */
type AttemptEvent =
  | {
      readonly what: 'asked';
      readonly attempt: string;
      readonly resource: string;
      readonly verb: Verb;
      /** Of a re-entrant call: the attempt in whose work it is made. */
      readonly nestedIn?: string;
      readonly mode: LockMode;
      /** With `semaphore`. */
      readonly permits?: number;
      /** @default true */
      readonly fair?: boolean;
      /** @default 'open' */
      readonly failure?: LockFailure;
      /** With `closed`: who can take the lock over. */
      readonly owner?: string | undefined;
      /** ms; absent if unlimited. */
      readonly wait?: number;
      /** Absent if unlimited. */
      readonly maxWaiters?: number;
      readonly ttl: number;
      readonly minHold: number;
    }
  /** The caller aborts its own signal. */
  | { readonly what: 'aborting'; readonly attempt: string }
  /** The acquisition has returned. In all events, `held` is the result of `isHeld()` right after the timestamp. */
  | { readonly what: 'granted'; readonly attempt: string; readonly token: bigint; readonly held: boolean }
  | { readonly what: 'ended'; readonly attempt: string; readonly outcome: Outcome; readonly detail?: string }
  /** A check of `isHeld()` during a hold. */
  | { readonly what: 'checked'; readonly attempt: string; readonly held: boolean }
  /** The work gives the hold a new ttl, in ms. `held` is false if that was refused, because the hold was lost. */
  | { readonly what: 'extending'; readonly attempt: string; readonly ttl: number; readonly held: boolean }
  /** The call that gave the hold a new ttl has returned. */
  | { readonly what: 'extended'; readonly attempt: string }
  /** The signal of the hold aborted. */
  | { readonly what: 'signalled'; readonly attempt: string; readonly detail: string }
  /** The work is over; the release follows. */
  | { readonly what: 'releasing'; readonly attempt: string; readonly held: boolean }
  /** The release has returned; for `withLock`, `withLock` has returned. */
  | {
      readonly what: 'released';
      readonly attempt: string;
      readonly outcome: ReleaseOutcome;
      readonly detail?: string;
    }
  /** An event of the lock service. */
  | {
      readonly what: 'emitted';
      readonly attempt: string;
      readonly event: string;
      readonly requeued?: boolean;
      readonly detail?: string;
    };

/** An event of a run of the scheduled job. Scheduled times are wall clock, ms since 1970. */
type JobEvent =
  | {
      readonly what: 'runBegan';
      readonly token: bigint;
      readonly scheduledAt: number;
      /** The last scheduled time that is complete, as far as the run was told. */
      readonly previous?: number;
      readonly interrupted: 'repeat' | 'skip';
    }
  /** The work is over; the run is completed, and the lock released. `held` is the result of `isHeld()`. */
  | {
      readonly what: 'runWorked';
      readonly token: bigint;
      readonly held: boolean;
      /** It throws. */
      readonly fails?: boolean;
    }
  /** The call of the job has returned. Without this event it is not known whether the run was completed. */
  | { readonly what: 'runCompleted'; readonly token: bigint }
  /** The call of the job has been rejected with the error of the work. */
  | { readonly what: 'runFailed'; readonly token: bigint };

/**
 * How a request ended. `stored`: the servers have it; `seen`: there are holders; `nobody`: nobody uses the lock; `refused`: the
 * lock has no queue;
 * `untyped`: an error that the library does not document.
 */
export type RequestOutcome = 'stored' | 'seen' | 'nobody' | 'refused' | 'unavailable' | 'closed' | 'untyped';

/**
 * An event of a request to release a lock, to change the number of its permits, or to inspect it. It is named after its actor: the third request
 * of `p3.2` is `p3.2?3`.
 */
type RequestEvent =
  | {
      readonly what: 'requesting';
      readonly request: string;
      readonly resource: string;
      /** The new number of permits. */
      readonly permits?: number;
      /** The queue is inspected. Absent, and without `permits`: the holders are asked to release the lock. */
      readonly inspects?: boolean;
    }
  /** The request has returned. */
  | {
      readonly what: 'requested';
      readonly request: string;
      readonly outcome: RequestOutcome;
      readonly detail?: string;
      /** Of an inspection: the tokens of the holders that it shows, undefined where that is not known. */
      readonly holders?: readonly (bigint | undefined)[];
    };

/** An event of a process as a whole. */
type IncarnationEvent =
  | {
      readonly what: 'connection';
      readonly state: 'ready' | 'suspended' | 'resumed' | 'sessionExpired';
      readonly detail: string;
    }
  /** The event loop was blocked for this time before the timestamp. */
  | { readonly what: 'lagged'; readonly ms: number }
  | { readonly what: 'warned'; readonly detail: string }
  /** The application has closed, and nothing keeps the process alive. */
  | { readonly what: 'exited' }
  /** An unhandled rejection, an uncaught exception or a warning of Node. */
  | { readonly what: 'unhandled'; readonly detail: string };

export type ProcessEvent = Recorded & (AttemptEvent | JobEvent | RequestEvent | IncarnationEvent);

/** An event without its timestamp and actor. */
export type NewProcessEvent = AttemptEvent | JobEvent | RequestEvent | IncarnationEvent;

/** An event of an attempt without its timestamp, its actor and its attempt. */
export type NewAttemptEvent = AttemptEvent extends infer E
  ? E extends AttemptEvent
    ? Omit<E, 'attempt'>
    : never
  : never;

export type ProcessEventOf<W extends ProcessEvent['what']> = Extract<ProcessEvent, { readonly what: W }>;
