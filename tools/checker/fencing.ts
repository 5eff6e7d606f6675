import type { RunHistory, GuardedWrite } from '../history/run-history.js';
import { groupBy } from '../history/group-by.js';
import { moment } from '../history/moments.js';
import { isShared, type Attempt, type Validity } from './attempt.js';
import { comparableGrants, type Granted } from './comparable-grants.js';
import { grantReportedAfterOutsideEnd } from './outside-ends.js';
import type { Violation } from './violation.js';

type Holder = Granted & { readonly valid: Validity };

/**
 * S2: no two grants have the same token, but for nested ones, tokens increase from grant to grant, and no stale write is accepted. The order of
 * those who share the lock does not matter.
 */
export function* fencing(attempts: readonly Attempt[], history: RunHistory): Generator<Violation> {
  for (const granted of comparableGrants(attempts, history)) {
    yield* shared(granted);
    // A grant that arrives after its loss proves nothing about the order of grants.
    const holders = granted.filter(
      (attempt): attempt is Holder =>
        attempt.valid !== undefined && !grantReportedAfterOutsideEnd(attempt, history),
    );
    const inOrder = holders.sort((a, b) => (a.valid.from < b.valid.from ? -1 : 1));
    yield* unordered(inOrder, history);
    yield* staleWrites(inOrder, history);
  }
}

function* shared(granted: readonly Granted[]): Generator<Violation> {
  for (const [token, [first, ...others]] of groupBy(granted, ({ grant }) => grant.token)) {
    const second = others.find(({ root }) => root !== first?.root);
    if (first === undefined || second === undefined) continue;
    yield violation(first, second, second.grant.at, `both have token ${token} of '${first.resource}'`);
  }
}

function* unordered(holders: readonly Holder[], history: RunHistory): Generator<Violation> {
  let largestOfAll: Holder | undefined;
  let largestAlone: Holder | undefined;
  for (const holder of holders) {
    const shares = isShared(holder);
    const largest = shares ? largestAlone : largestOfAll;
    if (largest !== undefined && holder.grant.token < largest.grant.token) {
      yield violation(
        largest,
        holder,
        holder.grant.at,
        `were granted '${holder.resource}' at ${moment(largest.grant.at, history)} and ` +
          `${moment(holder.grant.at, history)} with tokens ${largest.grant.token} and ${holder.grant.token}, which do not increase`,
      );
    }
    largestOfAll = withLargerToken(largestOfAll, holder);
    if (!shares) largestAlone = withLargerToken(largestAlone, holder);
  }
}

function withLargerToken(largest: Holder | undefined, holder: Holder): Holder {
  return largest === undefined || holder.grant.token > largest.grant.token ? holder : largest;
}

/** Writes of a grant that the resource accepted after a write of a newer grant. */
function* staleWrites(holders: readonly Holder[], { writes }: RunHistory): Generator<Violation> {
  const roots = [...new Set(holders.map(({ root }) => root))];
  const rankOfRoot = new Map(roots.map((root, index) => [root, index]));
  const rank = new Map(holders.map(({ name, root }) => [name, rankOfRoot.get(root)!]));
  const named = new Map(holders.map((holder) => [holder.name, holder]));
  let newest: { readonly rank: number; readonly write: GuardedWrite } | undefined;
  for (const write of writes) {
    const own = rank.get(write.attempt);
    if (own === undefined || !write.accepted) continue;
    if (newest !== undefined && own < newest.rank) {
      const what = `wrote '${write.resource}' after the later grant had: the guard accepted token ${write.token} after ${newest.write.token}`;
      yield violation(named.get(write.attempt)!, named.get(newest.write.attempt)!, write.at, what);
    } else newest = { rank: own, write };
  }
}

function violation(first: Attempt, second: Attempt, at: bigint, what: string): Violation {
  return {
    invariant: 'S2',
    sentence: `${first.name} and ${second.name} ${what}`,
    at,
    attempts: [first.name, second.name],
    processes: [first.process, second.process],
  };
}
