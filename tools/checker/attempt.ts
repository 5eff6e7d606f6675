import type { LockMode } from '../../lib/index.js';
import type { ProcessEvent, ProcessEventOf } from '../history/process-event.js';
import type { Incarnation, RunHistory } from '../history/run-history.js';
import { nanoseconds } from '../history/moments.js';
import { later } from './intervals.js';

/** The time in which a hold is known to be valid: from the first to the last check that found `isHeld()` true. */
export interface Validity {
  readonly from: bigint;
  readonly to: bigint;
}

/** Another hold of the same owner has the lock instead. It happened in this time. */
export interface Takeover {
  readonly from: bigint;
  readonly to: bigint;
  /** The attempt that shows it. */
  readonly by: string;
}

/** One attempt and everything recorded about it. */
export interface Attempt {
  readonly name: string;
  readonly process: string;
  readonly incarnation: Incarnation | undefined;
  readonly resource: string;
  readonly asked: ProcessEventOf<'asked'>;
  readonly events: readonly ProcessEvent[];
  /** The attempt whose grant this one shares, as a nested call does with that of the outermost one; otherwise its own name. */
  readonly root: string;
  /** In which it has the lock, as the outermost call if it is nested. */
  readonly mode: LockMode;
  /** The lock fails closed, as that of the outermost call if this one is nested. */
  readonly failsClosed: boolean;
  /** The call for several locks that this is one of; absent if the call is for one lock. */
  readonly call: string | undefined;
  /** A time at which the attempt is known to be in the queue, and from which on it has not left it. */
  readonly queuedAt: bigint | undefined;
  /**
   * When it last joined the queue, at the earliest; for a nested call, and for the caller of a place that others of its process
   * have had before it, when the first of them did.
   */
  readonly placeFrom: bigint;
  readonly grant: ProcessEventOf<'granted'> | undefined;
  /**
   * From when on it has kept others from the lock: one of several locks is taken before the call returns, if others have to be
   * waited for. Absent if it never had the lock.
   */
  readonly takenAt: bigint | undefined;
  /**
   * From when on its ttl and its `minHold` count, at the earliest: its acquisition, which its process records before the grant;
   * for several locks, that of the last of them. Absent if it was not granted.
   */
  readonly heldSince: bigint | undefined;
  /** The end of the acquisition: its grant or its failure. */
  readonly end: ProcessEventOf<'granted' | 'ended'> | undefined;
  /** Absent if no check found the hold valid. */
  readonly valid: Validity | undefined;
  /** Of a hold that fails closed, and of those nested in it. */
  readonly takeover?: Takeover | undefined;
}

export function eventsOf<W extends ProcessEvent['what']>(
  { events }: Pick<Attempt, 'events'>,
  what: W,
): ProcessEventOf<W>[] {
  return events.filter((event): event is ProcessEventOf<W> => event.what === what);
}

/**
 * When others can have the lock: it has been released and `minHold` is over, or it has been lost, or was never granted. The work
 * of a lost hold may go on.
 */
export function whenOver(attempt: Attempt, run: RunHistory['run']): bigint {
  const { grant, end, incarnation, asked } = attempt;
  const endOfRun = incarnation?.to ?? run.endedAt;
  const [released] = eventsOf(attempt, 'released');
  if (grant === undefined) return released?.at ?? end?.at ?? endOfRun;
  const lost = lossOf(attempt);
  if (lost !== undefined && (released === undefined || lost.at <= released.at)) {
    if (freesLock(lost, attempt)) return lost.at;
    // A call with work has returned already.
    const [worked] = eventsOf(attempt, 'releasing');
    return [lost.at, released?.at ?? endOfRun, worked?.at ?? endOfRun].reduce(later);
  }
  return later(released?.at ?? endOfRun, grant.at + nanoseconds(asked.minHold));
}

/** A service that shuts down, and a lock that fails closed and is lost with another one, keep others out until the work is over. */
function freesLock(
  { event, detail }: ProcessEventOf<'emitted'>,
  { failsClosed }: Pick<Attempt, 'failsClosed'>,
): boolean {
  return event === 'ttlExpired' || (detail !== 'shutdown' && !(detail === 'together' && failsClosed));
}

/** Whether a hold has ended before its release. */
export function isLoss({ event }: ProcessEventOf<'emitted'>): boolean {
  return event === 'lost' || event === 'ttlExpired';
}

/** The event that told the end of the hold; one of several locks may have been lost before that, and acquired again. */
export function lossOf(attempt: Attempt): ProcessEventOf<'emitted'> | undefined {
  const { grant } = attempt;
  if (grant === undefined) return undefined;
  return eventsOf(attempt, 'emitted').find((event) => isLoss(event) && event.at >= grant.at);
}

/** Whether the attempt shares its place with others of its process. Those of semaphores do not, and those that fail closed. */
export function sharesPlace(attempt: Attempt): boolean {
  if (attempt.incarnation?.localQueue !== true || attempt.asked.failure === 'closed') return false;
  return attempt.asked.mode !== 'semaphore';
}

/**
 * Whether one of the two must wait for the other in any case. Readers share a lock, and so do some holders of permits, and
 * nested calls.
 */
export function exclude(a: Pick<Attempt, 'mode' | 'root'>, b: Pick<Attempt, 'mode' | 'root'>): boolean {
  if (a.root === b.root) return false;
  return a.mode !== b.mode || !isShared(a);
}

/** Whether those who wait for the lock have an order. */
export function hasQueue({ asked }: Pick<Attempt, 'asked'>): boolean {
  return asked.fair !== false;
}

/** Whether others of its mode may hold the lock at the same time. */
export function isShared({ mode }: Pick<Attempt, 'mode'>): boolean {
  return mode === 'read' || mode === 'semaphore';
}
