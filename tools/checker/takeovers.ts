import { groupBy } from '../history/group-by.js';
import { nanoseconds } from '../history/moments.js';
import type { FreedLock, RunHistory } from '../history/run-history.js';
import type { Attempt, Takeover } from './attempt.js';
import type { Granted } from './comparable-grants.js';
import { sessionMs, type Health } from './health.js';
import { haveSameTurn, turnOf } from './turns.js';

/**
 * Which holds that fail closed another hold of the same owner has taken over, by attempt: it has a larger token of the same
 * contender. A person who has freed the lock, and an operator who has deleted its node, have seen whom that named last: it
 * may have been a call that took the lock over and gave it back, because it could not have another one.
 */
export function takeovers(
  attempts: readonly Attempt[],
  { freed, faults }: Pick<RunHistory, 'freed' | 'faults'>,
): Map<string, Takeover> {
  const found = new Map<string, Takeover>();
  const asked = new Map(attempts.map((attempt) => [attempt.name, attempt]));
  const holds = attempts.filter(isClosedHold);
  const shown = [
    // One of several locks is taken over before the call returns.
    ...holds.map(({ name: by, resource, grant: { token, at }, takenAt = at }) => ({
      ...{ resource, by, token },
      at: takenAt,
    })),
    ...freed.map(({ attempt, ...lock }) => ({ ...lock, by: attempt })),
    ...faults.flatMap(({ attempt: by = '', token, from }) => {
      const resource = asked.get(by)?.resource;
      return resource === undefined || token === undefined ? [] : [{ resource, by, token, at: from }];
    }),
  ].toSorted((a, b) => (a.at < b.at ? -1 : 1));
  const lineages = groupBy(shown, ({ resource, token }) => lineageOf(resource, token));
  for (const hold of holds) {
    const { token } = hold.grant;
    const first = (lineages.get(lineageOf(hold.resource, token)) ?? []).find(
      (next) => next.token > token && asked.get(next.by)?.asked.owner === hold.asked.owner,
    );
    if (first === undefined) continue;
    const by = asked.get(first.by)!;
    found.set(hold.name, { from: by.asked.at, to: first.at, by: first.by });
  }
  return found;
}

export function isClosedHold(attempt: Attempt): attempt is Granted {
  return attempt.asked.failure === 'closed' && attempt.grant !== undefined;
}

/** Whether the two are holds of one node. */
export function haveOneNode(a: Granted, b: Granted): boolean {
  return a.resource === b.resource && turnOf(a.grant.token) === turnOf(b.grant.token);
}

/** Whether a person has freed this hold, or a later one of its node: who has freed an earlier one has not freed it. */
export function isFreedBy({ resource, grant }: Granted, lock: FreedLock): boolean {
  return lock.resource === resource && haveSameTurn(lock.token, grant.token) && lock.token >= grant.token;
}

function lineageOf(resource: string, token: bigint): string {
  return `${turnOf(token)} ${resource}`;
}

/**
 * Whether the holder may have believed in its hold although its owner had taken it over elsewhere. That needs the end of
 * its session, and so a disturbance before; and it ends when the holder has had contact again for some time.
 */
export function mayNotKnowOfTakeover(holder: Attempt, history: RunHistory, health: Health): boolean {
  const { takeover, valid, incarnation, process } = holder;
  if (takeover === undefined || valid === undefined) return false;
  const { run } = history;
  const notice = run.precision.deletionKnownWithin ?? run.precision.noise;
  const session = nanoseconds(sessionMs(incarnation, run) + notice);
  const hadContact = (from: bigint, to: bigint): boolean =>
    health.ofServers(from, to) && health.ofProcess(process, from, to);
  const other = takeover.by.slice(0, takeover.by.indexOf('.'));
  const isReportedAtOnce =
    health.ofServers(takeover.to - session, takeover.to) &&
    health.ofProcess(other, takeover.to - session, takeover.to);
  const since = isReportedAtOnce ? takeover.to : takeover.from;
  if (hadContact(since - session, takeover.to)) return false;
  return valid.to - session <= takeover.to || !hadContact(valid.to - session, valid.to);
}
