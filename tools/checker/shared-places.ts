import type { FaultRecord } from '../history/fault-record.js';
import type { RunHistory } from '../history/run-history.js';
import { sharesPlace, type Attempt } from './attempt.js';
import type { Granted } from './comparable-grants.js';
import { names } from './outside-ends.js';
import { turnOf } from './turns.js';

/** Whether the two are callers of one process in one queue, which has them in order. */
export function haveOneQueue(a: Attempt, b: Attempt): boolean {
  if (a.process !== b.process || a.resource !== b.resource) return false;
  return a.asked.mode === b.asked.mode && a.asked.failure === b.asked.failure;
}

/** What operators have done to places that several callers share. */
export class SharedPlaces {
  readonly #deletions: readonly { readonly fault: FaultRecord; readonly deleted: Attempt }[];

  constructor(
    private readonly attempts: readonly Attempt[],
    { faults }: Pick<RunHistory, 'faults'>,
  ) {
    this.#deletions = faults.flatMap((fault) => {
      const deleted = attempts.findLast((attempt) => names(fault, attempt) && attempt.asked.at <= fault.from);
      const struck = fault.struck && fault.kind === 'contenderDeletion';
      return struck && deleted !== undefined && sharesPlace(deleted) ? [{ fault, deleted }] : [];
    });
  }

  /** Whether an operator may have deleted the node that stood for `attempt`, even before it asked, if nobody knew. */
  mayHaveBeenDeleted(attempt: Granted): boolean {
    return this.#deletions.some(
      ({ fault: { from }, deleted }) =>
        haveOneQueue(deleted, attempt) &&
        from < attempt.grant.at &&
        !this.#hadAnotherPlace(attempt, from, attempt.queuedAt ?? from),
    );
  }

  /** Whether the process has been granted a place in between that it did not have before. */
  #hadAnotherPlace(attempt: Granted, from: bigint, to: bigint): boolean {
    const granted = this.attempts.filter(
      (one): one is Granted => one.grant !== undefined && haveOneQueue(one, attempt) && one.grant.at < to,
    );
    const earlier = new Set(
      granted.filter(({ grant }) => grant.at <= from).map(({ grant }) => turnOf(grant.token)),
    );
    return granted.some(({ grant }) => grant.at > from && !earlier.has(turnOf(grant.token)));
  }
}
