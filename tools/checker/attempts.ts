import type { RunHistory, Incarnation } from '../history/run-history.js';
import { groupBy } from '../history/group-by.js';
import { byTime } from '../history/moments.js';
import { actorOf, processOf } from '../history/names.js';
import type { ProcessEvent, ProcessEventOf } from '../history/process-event.js';
import { turnOf } from './turns.js';

/** The time in which a hold is known to be valid: from the first to the last check that found `isHeld()` true. */
export interface Validity {
  readonly from: bigint;
  readonly to: bigint;
}

/** One attempt and everything recorded about it. */
export interface Attempt {
  readonly name: string;
  readonly process: string;
  readonly incarnation: Incarnation | undefined;
  readonly resource: string;
  readonly asked: ProcessEventOf<'asked'>;
  readonly events: readonly ProcessEvent[];
  /** A time at which the attempt is known to be in the queue. */
  readonly queuedAt: bigint | undefined;
  /**
   * When it last joined the queue, at the earliest; for the caller of a place that others of its process have had before it,
   * when the first of them did.
   */
  readonly placeFrom: bigint;
  readonly grant: ProcessEventOf<'granted'> | undefined;
  /** The end of the acquisition: its grant or its failure. */
  readonly end: ProcessEventOf<'granted' | 'ended'> | undefined;
  /** Absent if no check found the hold valid. */
  readonly valid: Validity | undefined;
}

/** All attempts of a history, in the order in which they asked. */
export function attemptsOf(history: Pick<RunHistory, 'events' | 'incarnations'>): Attempt[] {
  const incarnations = new Map(history.incarnations.map((incarnation) => [incarnation.actor, incarnation]));
  const ofAttempts = history.events.filter((event) => 'attempt' in event);
  const groups = groupBy(ofAttempts, ({ attempt }) => attempt);
  const attempts = [...groups].flatMap(([name, events]) => {
    const attempt = attemptOf(name, events.toSorted(byTime), incarnations.get(actorOf(name)));
    return attempt === undefined ? [] : [attempt];
  });
  return withSharedPlaces(attempts);
}

/** Whether the attempt shares its place with others of its process. Those of modes that share the lock do not. */
export function sharesPlace(attempt: Attempt): boolean {
  return attempt.incarnation?.localQueue === true && !isShared(attempt);
}

export function eventsOf<W extends ProcessEvent['what']>(
  { events }: Pick<Attempt, 'events'>,
  what: W,
): ProcessEventOf<W>[] {
  return events.filter((event): event is ProcessEventOf<W> => event.what === what);
}

function withSharedPlaces(attempts: readonly Attempt[]): Attempt[] {
  const places = groupBy(attempts, placeOf);
  const from = new Map(
    [...places].map(([place, ofPlace]) => [
      place,
      ofPlace.map(({ placeFrom }) => placeFrom).reduce((a, b) => (a < b ? a : b)),
    ]),
  );
  return attempts.map((attempt) => ({
    ...attempt,
    placeFrom: from.get(placeOf(attempt)) ?? attempt.placeFrom,
  }));
}

function placeOf(attempt: Attempt): string {
  const { name, asked, resource, grant } = attempt;
  if (grant === undefined || !sharesPlace(attempt)) return name;
  return JSON.stringify([asked.actor, resource, asked.mode, String(turnOf(grant.token))]);
}

/** When the attempt last joined the queue, at the earliest. */
function joinedAt(attempt: Pick<Attempt, 'asked' | 'events'>): bigint {
  const requeued = eventsOf(attempt, 'emitted').findLast((event) => event.requeued === true);
  return requeued?.at ?? attempt.asked.at;
}

function attemptOf(
  name: string,
  events: readonly ProcessEvent[],
  incarnation: Incarnation | undefined,
): Attempt | undefined {
  const [asked] = eventsOf({ events }, 'asked');
  if (asked === undefined) return undefined;
  const [grant] = eventsOf({ events }, 'granted');
  const [end] = [...eventsOf({ events }, 'granted'), ...eventsOf({ events }, 'ended')];
  const waiting = eventsOf({ events }, 'emitted').find(({ event }) => event === 'waiting');
  return {
    name,
    process: processOf(name),
    incarnation,
    resource: asked.resource,
    asked,
    events,
    queuedAt: waiting?.at,
    placeFrom: joinedAt({ asked, events }),
    grant,
    end,
    valid: validityOf(events),
  };
}

/** Whether one of the two must wait for the other in any case. Readers share a lock, and so do some holders of permits. */
export function exclude(a: Pick<Attempt, 'asked'>, b: Pick<Attempt, 'asked'>): boolean {
  return a.asked.mode !== b.asked.mode || !isShared(a);
}

/** Whether others of its mode may hold the lock at the same time. */
export function isShared({ asked }: Pick<Attempt, 'asked'>): boolean {
  return asked.mode === 'read' || asked.mode === 'semaphore';
}

/** `isHeld()` never turns true again: the hold was valid at all times before a check that found it valid. */
function validityOf(events: readonly ProcessEvent[]): Validity | undefined {
  const checks = events.filter((event) => 'held' in event && event.held);
  const [first, last] = [checks[0], checks.at(-1)];
  return first === undefined || last === undefined ? undefined : { from: first.at, to: last.at };
}
