import { groupBy } from '../history/group-by.js';
import type { RunHistory } from '../history/run-history.js';
import type { Attempt } from './attempt.js';
import { keptAfterLoss, lostAt } from './kept-after-loss.js';
import { survived } from './liveness.js';
import { Stalls } from './stalls.js';
import type { Violation } from './violation.js';

/** S1, of several locks that one call asks for: it has all of them or none, and when one is lost, all are. */
export function* several(attempts: readonly Attempt[], history: RunHistory): Generator<Violation> {
  const stalls = new Stalls(history);
  for (const [call, members] of groupBy(attempts, (attempt) => attempt.call)) {
    if (call === undefined) continue;
    yield* allOrNone(call, members);
    yield* allLostTogether(members, history, stalls);
  }
}

/** What is granted at all is granted together. A kill may come between two lines of the record. */
function* allOrNone(call: string, members: readonly Attempt[]): Generator<Violation> {
  const granted = members.filter(({ grant }) => grant !== undefined);
  const missing = members.find(({ grant }) => grant === undefined);
  const [first] = granted;
  if (first?.grant === undefined || missing === undefined || !survived(missing)) return;
  const sentence = `${call} was granted '${first.resource}', and not '${missing.resource}'`;
  yield violation(sentence, first.grant.at, [first, missing]);
}

function* allLostTogether(
  members: readonly Attempt[],
  history: RunHistory,
  stalls: Stalls,
): Generator<Violation> {
  const [first] = members
    .flatMap((member) => ({ member, at: lostAt(member) }))
    .filter(({ at }) => at !== undefined)
    .toSorted((a, b) => (a.at! < b.at! ? -1 : 1));
  if (first === undefined) return;
  for (const member of members) yield* keptAfterLoss(first.member, member, history, stalls);
}

function violation(sentence: string, at: bigint, members: readonly Attempt[]): Violation {
  const processes = [...new Set(members.map(({ process }) => process))];
  return { invariant: 'S1', sentence, at, attempts: members.map(({ name }) => name), processes };
}
