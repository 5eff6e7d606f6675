import { moment, nanoseconds } from '../history/moments.js';
import type { RunHistory } from '../history/run-history.js';
import { eventsOf, type Attempt } from './attempt.js';
import { Health, longestSession } from './health.js';
import { lockRequests, type LockRequest } from './lock-requests.js';
import { mayBeOverlooked } from './may-be-overlooked.js';
import { mayHaveLeft } from './outside-ends.js';
import { mayHaveOnePlace } from './told-holders.js';
import { turnOf } from './turns.js';
import type { Violation } from './violation.js';

/** An inspection reads what its server has applied, which may lag behind the others by so much if nothing is disturbed, ms. */
const LAG_MS = 1_000;

/** L1: an inspection shows everybody who has had the lock for long and goes on, and nobody whose lock has been free for long. */
export function* inspections(attempts: readonly Attempt[], history: RunHistory): Generator<Violation> {
  if (!history.run.precision.isVirtual) return;
  const health = new Health(history);
  const requests = lockRequests(history);
  for (const inspection of requests) {
    const { name, resource, process, holders, to } = inspection;
    if (holders === undefined || !isUndisturbed(inspection, history, health)) continue;
    const shown = new Set(holders.map(turnOf));
    const before = inspection.from - nanoseconds(LAG_MS);
    const own = attempts.filter((attempt) => attempt.resource === resource);
    const violation = (says: string, { name: of, process: ofOwner }: Attempt): Violation => ({
      invariant: 'L1',
      sentence: `${name}, an inspection of '${resource}' at ${moment(to, history)}, ${says}`,
      at: to,
      attempts: [of],
      processes: [process, ofOwner],
    });
    const missing = own.find(
      (attempt) =>
        hasHeldThroughout(attempt, before, to, history) &&
        !mayBeOverlooked(attempt, requests) &&
        !shown.has(turnOf(attempt.grant!.token)),
    );
    if (missing !== undefined) yield violation(`did not show ${missing.name}, which held it`, missing);
    for (const turn of shown) {
      const ofTurn = own.filter(({ grant }) => grant !== undefined && turnOf(grant.token) === turn);
      const [gone] = ofTurn;
      if (gone === undefined || own.some((attempt) => mayHaveItToo(attempt, gone))) continue;
      if (ofTurn.every((attempt) => wasFree(attempt, before, health)))
        yield violation(`showed ${gone.name}, which had released it`, gone);
    }
  }
}

function isUndisturbed({ process, from, to }: LockRequest, history: RunHistory, health: Health): boolean {
  const since = from - longestSession(history);
  return health.ofServers(since, to) && health.ofProcess(process, since, to);
}

function hasHeldThroughout(attempt: Attempt, from: bigint, to: bigint, history: RunHistory): boolean {
  const { valid, grant, incarnation } = attempt;
  if (valid === undefined || grant === undefined || incarnation?.foreign === true) return false;
  return valid.from < from && valid.to > to && !mayHaveLeft(attempt, history);
}

/** A call for several locks keeps the place that it shares with `holder` while it waits for the others. */
function mayHaveItToo(attempt: Attempt, holder: Attempt): boolean {
  if (attempt.grant !== undefined || !mayHaveOnePlace(attempt, holder)) return false;
  return eventsOf(attempt, 'emitted').some(({ event }) => event === 'acquired');
}

/** Its release was confirmed: nothing has kept its node since, such as a `minHold`. */
function wasFree(attempt: Attempt, before: bigint, health: Health): boolean {
  const { incarnation, asked, process, failsClosed } = attempt;
  const [releasing] = eventsOf(attempt, 'releasing');
  const [released] = eventsOf(attempt, 'released');
  if (releasing === undefined || released?.outcome !== 'kept' || released.at > before) return false;
  const isConfirmed = incarnation?.release === 'confirmed' && (incarnation.linger ?? 0) === 0;
  if (!isConfirmed || failsClosed || asked.minHold > 0) return false;
  return health.ofProcess(process, releasing.at, released.at) && health.ofServers(releasing.at, released.at);
}
