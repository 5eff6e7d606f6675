import type { Session } from '../sessions/session-table.js';
import type { Change, Moment } from '../tree/change.js';
import type { ChangeRequest, StepRequest } from '../wire/requests.js';
import type { ChangeOutcome } from '../wire/step-outcomes.js';
import type { Requester } from './prepare.js';

/** What a server is asked to write. Each proposal uses up a zxid, whether it succeeds or fails. */
export type Proposal =
  | { readonly kind: 'change'; readonly request: ChangeRequest; readonly requester: Requester }
  | { readonly kind: 'multi'; readonly steps: readonly StepRequest[]; readonly requester: Requester }
  /** A request that fails whatever the tree contains. */
  | { readonly kind: 'refused'; readonly code: number }
  | { readonly kind: 'openSession'; readonly session: Session }
  | { readonly kind: 'closeSession'; readonly session: bigint }
  /** Deletes a node that the reaper has found. */
  | { readonly kind: 'reap'; readonly path: string };

/** A change, and the request that it is the result of. */
export interface DecidedChange {
  readonly op: ChangeRequest['op'];
  readonly path: string;
  readonly change: Change;
}

/** A proposal that has been decided on. It has the same effect on every copy of the tree. */
export interface Transaction extends Moment {
  readonly effect:
    | { readonly kind: 'changes'; readonly changes: readonly DecidedChange[] }
    | { readonly kind: 'failed'; readonly code: number }
    /** A `multi` fails as a whole, with a code for each step. */
    | { readonly kind: 'failedSteps'; readonly codes: readonly number[] }
    | { readonly kind: 'openSession'; readonly session: Session }
    | { readonly kind: 'closeSession'; readonly session: bigint; readonly ephemerals: readonly string[] };
}

/** What the client that asked for a transaction gets. */
export interface TransactionResult {
  /** `OK` also for a `multi` that failed: its steps have the codes. */
  readonly code: number;
  readonly outcomes: readonly ChangeOutcome[];
}
