import type { FaultRecord } from '../history/fault-record.js';
import { nanoseconds } from '../history/moments.js';
import { candidateOf } from '../history/names.js';
import type { RunHistory } from '../history/run-history.js';
import type { Attempt } from './attempt.js';
import { haveSameTurn } from './turns.js';

type Facts = Pick<RunHistory, 'faults' | 'run' | 'incarnations'>;

/**
 * The faults that may have freed the lock of a hold from outside, after its place in the queue was taken.
 *
 * @param before the hold was over then; absent: after its last check
 */
export function outsideEnds(attempt: Attempt, facts: Facts, before?: bigint): FaultRecord[] {
  const { faults, run } = facts;
  const { valid } = attempt;
  if (valid === undefined) return [];
  const until = before ?? valid.to + nanoseconds(run.precision.checkInterval);
  return faults.filter((fault) => fault.struck && frees(fault, attempt, facts) && fault.from <= until);
}

function frees(fault: FaultRecord, hold: Attempt, facts: Facts): boolean {
  const { kind, targets, token, to } = fault;
  const { process, grant } = hold;
  // Its callers may have asked after the deletion, as long as their process does not know of it.
  if (token !== undefined && grant !== undefined && haveSameTurn(token, grant.token)) return true;
  if (kind === 'contenderDeletion' && mayFreeNext(fault, hold, facts)) return true;
  if (to < hold.placeFrom) return false;
  switch (kind) {
    case 'sessionExpiry':
      return targets.includes(process) && !hold.failsClosed;
    case 'contenderDeletion':
      return names(fault, hold);
    case 'dataLoss':
      return true;
    default:
      return false;
  }
}

/** Whether the fault names the attempt. A contender does not tell the rounds of a candidate apart. */
export function names({ attempt }: FaultRecord, { name }: Pick<Attempt, 'name'>): boolean {
  return attempt !== undefined && (attempt === name || attempt === candidateOf(name));
}

/**
 * Without a queue, all holders have the same node, and ZooKeeper cannot delete it on the condition that it is still the own
 * one. So if an operator deletes it, and its holder gives the lock up before it knows, that deletes the node of the next one,
 * who may have asked after the deletion. What it sends may arrive as long as its session lives.
 */
function mayFreeNext(
  { resource, to }: FaultRecord,
  { grant, ...hold }: Attempt,
  { incarnations, run }: Facts,
): boolean {
  if (resource !== hold.resource || grant === undefined) return false;
  const longest = Math.max(0, ...incarnations.map(({ sessionTimeout }) => sessionTimeout));
  return grant.at <= to + nanoseconds(longest + 2 * run.tickTime);
}

/**
 * Whether the lock may have been freed from outside before the process received its grant. Others may have been granted
 * the lock in between, so the time of the grant proves nothing about the order of grants.
 */
export function grantReportedAfterOutsideEnd(attempt: Attempt, history: Facts): boolean {
  const { grant, takeover } = attempt;
  if (grant === undefined) return false;
  if (takeover !== undefined && takeover.to <= grant.at) return true;
  return outsideEnds(attempt, history).some(({ from }) => from <= grant.at);
}

/** Whether somebody else may have the lock although the hold is valid: by such a fault, or because its owner has taken the lock over. */
export function mayHaveLeft(attempt: Attempt, history: Facts): boolean {
  return attempt.takeover !== undefined || outsideEnds(attempt, history).length > 0;
}
