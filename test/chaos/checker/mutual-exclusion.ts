import type { ChaosHistory } from '../history/chaos-history.js';
import { groupBy } from '../history/group-by.js';
import { milliseconds, moment } from '../history/moments.js';
import type { Attempt, Validity } from './attempts.js';
import type { Violation } from './violation.js';

type Holder = Attempt & { readonly valid: Validity };

/** S1: valid holds of a resource never overlap. */
export function* mutualExclusion(attempts: readonly Attempt[], history: ChaosHistory): Generator<Violation> {
  const holders = attempts.filter((attempt): attempt is Holder => attempt.valid !== undefined);
  for (const ofResource of groupBy(holders, ({ resource }) => resource).values()) {
    yield* overlaps(
      ofResource.sort((a, b) => (a.valid.from < b.valid.from ? -1 : 1)),
      history,
    );
  }
}

/** @param holders by their beginning */
function* overlaps(holders: readonly Holder[], history: ChaosHistory): Generator<Violation> {
  let longest: Holder | undefined;
  for (const holder of holders) {
    if (longest !== undefined && holder.valid.from <= longest.valid.to)
      yield overlap(longest, holder, history);
    if (longest === undefined || holder.valid.to > longest.valid.to) longest = holder;
  }
}

function overlap(first: Holder, second: Holder, history: ChaosHistory): Violation {
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

function describe({ name, valid, grant }: Holder, history: ChaosHistory): string {
  return `${name} (token ${grant?.token ?? '?'}) from ${moment(valid.from, history)} to ${moment(valid.to, history)}`;
}
