import { moment } from '../history/moments.js';
import type { RunHistory } from '../history/run-history.js';
import { eventsOf, exclude, type Attempt } from './attempt.js';
import type { Granted } from './comparable-grants.js';
import { earliest } from './intervals.js';
import { grantReportedAfterOutsideEnd, outsideEnds } from './outside-ends.js';
import { heldWhenKilled } from './recovery.js';
import { haveOneNode, isClosedHold, isFreedBy } from './takeovers.js';
import type { Violation } from './violation.js';

/**
 * S1, of locks that fail closed. When a holder has been killed, nobody but its owner has the lock, until a person frees it or
 * a hold of the owner ends that has taken it over. When another lock of the call is lost, or its service shuts down, nobody has it
 * until the work ends.
 */
export function* failedClosed(attempts: readonly Attempt[], history: RunHistory): Generator<Violation> {
  const granted = attempts.filter((attempt): attempt is Granted => attempt.grant !== undefined);
  for (const holder of granted.filter(isClosedHold)) {
    const claim = claimAfterFailure(holder);
    if (holder.root !== holder.name || claim === undefined) continue;
    const { from, because } = claim;
    const ofOwner = granted.filter(
      (other) =>
        isClosedHold(other) && other.asked.owner === holder.asked.owner && haveOneNode(holder, other),
    );
    const until = earliest(claim.to, whenFreed(holder, ofOwner, history));
    const next = granted.find(
      (other) =>
        other.resource === holder.resource &&
        other.valid !== undefined &&
        other.grant.at > from &&
        (until === undefined || other.grant.at < until) &&
        other.grant.token > holder.grant.token &&
        !ofOwner.includes(other) &&
        exclude(holder, other) &&
        !ofOwner.some((one) => outsideEnds(one, history, other.grant.at).length > 0) &&
        !grantReportedAfterOutsideEnd(other, history),
    );
    if (next === undefined) continue;
    const sentence =
      `${next.name} was granted '${next.resource}' at ${moment(next.grant.at, history)}: ${holder.name} held it when ` +
      `${because} at ${moment(from, history)}, it fails closed, and nobody had freed it`;
    const [names, processes] = [
      [holder.name, next.name],
      [holder.process, next.process],
    ];
    yield { invariant: 'S1', sentence, at: next.grant.at, attempts: names, processes };
  }
}

/** From when on, and how long, a hold that has failed still keeps the lock. Without an end: until it is freed. */
interface Claim {
  readonly from: bigint;
  readonly to?: bigint;
  readonly because: string;
}

/** Why a lost hold keeps the lock until its work ends, by the reason of the loss. */
const REASONS_TO_STAY: ReadonlyMap<string, string> = new Map([
  ['together', 'another lock of its call was lost'],
  ['shutdown', 'its service shut down'],
]);

function claimAfterFailure(holder: Granted): Claim | undefined {
  const killedAt = holder.incarnation?.to;
  if (killedAt !== undefined && heldWhenKilled(holder)) return { from: killedAt, because: 'it was killed' };
  const lost = eventsOf(holder, 'emitted').findLast(({ event }) => event === 'lost');
  const because = REASONS_TO_STAY.get(lost?.detail ?? '');
  if (lost === undefined || because === undefined || lost.at < holder.grant.at) return undefined;
  const [ending] = eventsOf(holder, 'releasing');
  return { from: lost.at, to: ending?.at, because };
}

/** The first time at which others may have had the lock. Undefined if it stayed taken. */
function whenFreed(holder: Granted, ofOwner: readonly Granted[], { freed }: RunHistory): bigint | undefined {
  const byPerson = freed.filter((lock) => isFreedBy(holder, lock));
  const later = ofOwner.filter((one) => one.grant.token > holder.grant.token);
  const ends = later.flatMap((one) => [
    ...eventsOf(one, 'releasing'),
    ...eventsOf(one, 'emitted').filter(({ event }) => event === 'ttlExpired'),
  ]);
  return earliest(...[...byPerson, ...ends].map(({ at }) => at));
}
