import type { RunHistory, Incarnation } from '../history/run-history.js';
import { groupBy } from '../history/group-by.js';
import { byTime } from '../history/moments.js';
import { actorOf, callOf, processOf } from '../history/names.js';
import { Calls } from './calls.js';
import { withRoundNames } from './candidates.js';
import type { ProcessEvent, ProcessEventOf } from '../history/process-event.js';
import { eventsOf, sharesPlace, type Attempt, type Validity } from './attempt.js';
import { earliest, later } from './intervals.js';
import { takeovers } from './takeovers.js';
import { turnOf } from './turns.js';

/** After these events, it neither has the lock nor is in its queue. */
const ENDS_OF_ROUNDS = new Set(['aborted', 'failed', 'released', 'lost', 'ttlExpired']);

/** All attempts of a history, in the order in which they asked. */
export function attemptsOf(
  history: Pick<RunHistory, 'events' | 'faults' | 'incarnations' | 'freed'>,
): Attempt[] {
  const incarnations = new Map(history.incarnations.map((incarnation) => [incarnation.actor, incarnation]));
  const ofAttempts = withRoundNames(history.events.filter((event) => 'attempt' in event));
  const groups = groupBy(ofAttempts, ({ attempt }) => attempt);
  const losses = lossesOfCalls(ofAttempts);
  const attempts = [...groups].flatMap(([name, events]) => {
    const attempt = attemptOf(name, events.toSorted(byTime), {
      incarnation: incarnations.get(actorOf(name)),
      losses: losses.get(callOf(name) ?? '') ?? [],
    });
    return attempt === undefined ? [] : [attempt];
  });
  return withTakeovers(withSharedPlaces(withRoots(withTimesOfLists(attempts))), history);
}

/** The losses of calls for several locks, in order. */
function lossesOfCalls(
  events: readonly ProcessEvent[],
): ReadonlyMap<string, readonly ProcessEventOf<'emitted'>[]> {
  const lost = eventsOf({ events: events.toSorted(byTime) }, 'emitted').filter(
    ({ event, attempt }) => event === 'lost' && callOf(attempt) !== undefined,
  );
  return groupBy(lost, ({ attempt }) => callOf(attempt)!);
}

/** Several locks are held when the last of them is. Their grants are recorded one by one, and later. */
function withTimesOfLists(attempts: readonly Attempt[]): Attempt[] {
  const calls = new Calls(attempts);
  return attempts.map((attempt) => {
    if (attempt.grant === undefined || attempt.call === undefined) return attempt;
    const held = calls.membersOf(attempt).flatMap(({ heldSince }) => heldSince ?? []);
    return { ...attempt, heldSince: earliest(attempt.grant.at, held.reduce(later)) };
  });
}

/** A call whose outer hold has been lost is nested in the one around that, if there is one, or not any more. */
function withRoots(attempts: readonly Attempt[]): Attempt[] {
  const named = new Map(attempts.map((attempt) => [attempt.name, attempt]));
  const rootOf = ({ name, asked, grant }: Attempt): string => {
    for (let outer = named.get(asked.nestedIn ?? ''); outer !== undefined;) {
      if (outer.grant === undefined || outer.grant.token !== grant?.token) return name;
      const [lost] = eventsOf(outer, 'signalled');
      // Otherwise it is another grant: servers that have lost their data issue the same tokens again.
      if (lost === undefined || lost.at >= grant.at) return rootOf(outer);
      outer = named.get(outer.asked.nestedIn ?? '');
    }
    return name;
  };
  return attempts.map((attempt) => {
    const root = named.get(rootOf(attempt))!;
    const { asked, placeFrom } = root;
    // A client of another library that goes on as a reader has a node of its own for that.
    const { mode } = attempt.incarnation?.foreign === true ? attempt : asked;
    return { ...attempt, root: root.name, mode, failsClosed: asked.failure === 'closed', placeFrom };
  });
}

function withTakeovers(
  attempts: readonly Attempt[],
  history: Pick<RunHistory, 'freed' | 'faults'>,
): Attempt[] {
  const found = takeovers(attempts, history);
  return attempts.map((attempt) => ({ ...attempt, takeover: found.get(attempt.root) }));
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

/** When the attempt last joined the queue, at the earliest. One of several locks tells that late. */
function joinedAt(attempt: Pick<Attempt, 'asked' | 'events' | 'call'>, restart: bigint | undefined): bigint {
  if (attempt.call !== undefined) return restart ?? attempt.asked.at;
  const requeued = eventsOf(attempt, 'emitted').findLast((event) => event.requeued === true);
  return requeued?.at ?? attempt.asked.at;
}

function attemptOf(
  name: string,
  events: readonly ProcessEvent[],
  {
    incarnation,
    losses,
  }: { incarnation: Incarnation | undefined; losses: readonly ProcessEventOf<'emitted'>[] },
): Attempt | undefined {
  const [asked] = eventsOf({ events }, 'asked');
  if (asked === undefined) return undefined;
  const [grant] = eventsOf({ events }, 'granted');
  const [end] = [...eventsOf({ events }, 'granted'), ...eventsOf({ events }, 'ended')];
  const call = callOf(name);
  // It has lost one of several locks before all were granted, and has left the queues of the others.
  const restart = losses.findLast(isBefore(grant))?.at;
  const current = acquiresAgain(asked, call)
    ? lastRound(events, grant).filter(({ at }) => restart === undefined || at > restart)
    : eventsOf({ events }, 'emitted');
  const waiting = current.find(({ event }) => event === 'waiting');
  const acquired = current.find(({ event }) => event === 'acquired');
  return {
    name,
    root: name,
    mode: asked.mode,
    failsClosed: asked.failure === 'closed',
    process: processOf(name),
    incarnation,
    resource: asked.resource,
    asked,
    events,
    call,
    queuedAt: waiting?.at,
    placeFrom: joinedAt({ asked, events, call }, restart),
    grant,
    takenAt: acquiresAgain(asked, call) ? (acquired ?? grant)?.at : grant?.at,
    heldSince: grant && earliest(grant.at, acquired?.at),
    end,
    valid: validityOf(events),
  };
}

/** Of several locks, one that is lost before all are granted is acquired again. So is that of a candidate, whatever happens. */
function acquiresAgain({ verb }: ProcessEventOf<'asked'>, call: string | undefined): boolean {
  return call !== undefined || verb === 'lead';
}

function lastRound(
  events: readonly ProcessEvent[],
  grant: ProcessEventOf<'granted'> | undefined,
): ProcessEventOf<'emitted'>[] {
  const emitted = eventsOf({ events }, 'emitted').filter(({ at }) => grant === undefined || at <= grant.at);
  const left = emitted.filter(isBefore(grant)).findLastIndex(({ event }) => ENDS_OF_ROUNDS.has(event));
  return emitted.slice(left + 1);
}

/** Not at the same time: it takes a round trip to acquire a lock again, but none to lose it. */
function isBefore(grant: ProcessEventOf<'granted'> | undefined): (event: { readonly at: bigint }) => boolean {
  return ({ at }) => grant === undefined || at < grant.at;
}

/** `isHeld()` never turns true again: the hold was valid at all times before a check that found it valid. */
function validityOf(events: readonly ProcessEvent[]): Validity | undefined {
  const checks = events.filter((event) => 'held' in event && event.held);
  const [first, last] = [checks[0], checks.at(-1)];
  return first === undefined || last === undefined ? undefined : { from: first.at, to: last.at };
}
