import type { RunHistory } from '../history/run-history.js';
import { groupBy } from '../history/group-by.js';
import { milliseconds, moment, nanoseconds } from '../history/moments.js';
import type { Attempt, Validity } from './attempts.js';
import { sessionEndFault } from './duplicate-sessions.js';
import type { Violation } from './violation.js';

type Holder = Attempt & { readonly valid: Validity };

/** S1: valid holds of a resource never overlap. */
export function* mutualExclusion(attempts: readonly Attempt[], history: RunHistory): Generator<Violation> {
  for (const overlap of overlaps(attempts)) {
    if (!excused(overlap, history)) yield violation(overlap, history);
  }
}

/** The number of overlaps that no lock could prevent, because a duplicate had ended the session of a holder. */
export function overlapsByDuplicateSession(attempts: readonly Attempt[], history: RunHistory): number {
  return [...overlaps(attempts)].filter((overlap) => excused(overlap, history)).length;
}

interface Overlap {
  readonly first: Holder;
  readonly second: Holder;
}

function* overlaps(attempts: readonly Attempt[]): Generator<Overlap> {
  const holders = attempts.filter((attempt): attempt is Holder => attempt.valid !== undefined);
  for (const ofResource of groupBy(holders, ({ resource }) => resource).values()) {
    let first: Holder | undefined;
    for (const second of ofResource.sort((a, b) => (a.valid.from < b.valid.from ? -1 : 1))) {
      if (first !== undefined && second.valid.from <= first.valid.to) yield { first, second };
      if (first === undefined || second.valid.to > first.valid.to) first = second;
    }
  }
}

/**
 * A duplicate ends a session early, which otherwise only an administrator can do: the server frees the lock before its
 * holder can know. The holder learns of it before its deadline; until then, only fencing protects the resource.
 */
function excused({ first, second }: Overlap, history: RunHistory): boolean {
  // The second: its grant arrived after the lock had been freed again, and granted to the first.
  return endedByDuplicate(first, second, history) || endedByDuplicate(second, first, history);
}

function endedByDuplicate(holder: Holder, successor: Holder, history: RunHistory): boolean {
  const expiry = sessionEndFault(holder, history);
  return (
    expiry !== undefined &&
    expiry.from <= successor.valid.from &&
    holder.valid.to <= expiry.to + nanoseconds(holder.incarnation?.sessionTimeout ?? 0)
  );
}

function violation({ first, second }: Overlap, history: RunHistory): Violation {
  const end = first.valid.to < second.valid.to ? first.valid.to : second.valid.to;
  const ms = Math.max(1, Math.round(milliseconds(end - second.valid.from)));
  return {
    invariant: 'S1',
    sentence:
      `${first.name} and ${second.name} both hold '${first.resource}' for ${ms} ms: ` +
      `${describe(first, history)}, ${describe(second, history)}`,
    at: second.valid.from,
    attempts: [first.name, second.name],
    processes: [first.process, second.process],
  };
}

function describe({ name, valid, grant }: Holder, history: RunHistory): string {
  return `${name} (token ${grant?.token ?? '?'}) from ${moment(valid.from, history)} to ${moment(valid.to, history)}`;
}
