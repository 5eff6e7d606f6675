import type { Clock } from '../../locking/clock.js';
import { ERROR_CODES } from '../../zookeeper/protocol/error-codes.js';
import { OP } from '../../zookeeper/protocol/op-codes.js';
import type { Change, Moment } from '../tree/change.js';
import { DataTree } from '../tree/data-tree.js';
import { ownerKind } from '../tree/ephemeral-owner.js';
import { TreeWatches } from '../watches/tree-watches.js';
import type { StepRequest } from '../wire/requests.js';
import type { ChangeOutcome } from '../wire/step-outcomes.js';
import { PendingTree } from './pending-tree.js';
import { errorCode, Preparation, type Requester } from './prepare.js';
import type { DecidedChange, Proposal, Transaction, TransactionResult } from './transaction.js';

type Effect = Transaction['effect'];

/**
 * The nodes and their watches. `decide` turns a proposal into a transaction, `apply` executes it: apart, because in an
 * ensemble the leader decides and every member applies.
 */
export class Store {
  readonly tree = new DataTree();
  readonly watches = new TreeWatches();
  #zxid = 0n;

  constructor(
    private readonly clock: Pick<Clock, 'wall'>,
    private readonly ttlNodes: boolean,
  ) {}

  /** Zxid of the last transaction. */
  get zxid(): bigint {
    return this.#zxid;
  }

  /** Decides on a proposal, given all transactions that have been applied. The next call is to apply the result. */
  decide(proposal: Proposal): Transaction {
    const moment = { zxid: this.#zxid + 1n, time: Math.floor(this.clock.wall()) };
    return { ...moment, effect: this.#effectOf(proposal) };
  }

  apply({ effect, ...moment }: Transaction): TransactionResult {
    this.#zxid = moment.zxid;
    switch (effect.kind) {
      case 'changes':
        return succeeded(effect.changes.map((decided) => this.#change(decided, moment)));
      case 'failed':
        return { code: effect.code, outcomes: [] };
      case 'failedSteps':
        return succeeded(effect.codes.map((code) => ({ op: OP.ERROR, code })));
      case 'openSession':
        return succeeded([]);
      case 'closeSession':
        for (const path of effect.ephemerals) this.#apply({ kind: 'delete', path }, moment);
        this.tree.forgetSession(effect.session);
        return succeeded([]);
    }
  }

  #effectOf(proposal: Proposal): Effect {
    switch (proposal.kind) {
      case 'change':
        return this.#decideChange(proposal.request, this.#preparation(proposal.requester));
      case 'multi':
        return decideSteps(proposal.steps, this.#preparation(proposal.requester));
      case 'refused':
        return { kind: 'failed', code: proposal.code };
      case 'openSession':
        return proposal;
      case 'closeSession': {
        const { session } = proposal;
        return { kind: 'closeSession', session, ephemerals: [...this.tree.ephemeralsOf(session)] };
      }
      case 'reap':
        return { kind: 'changes', changes: this.#mayReap(proposal.path) ? [deletion(proposal.path)] : [] };
    }
  }

  #decideChange(request: Extract<Proposal, { kind: 'change' }>['request'], preparation: Preparation): Effect {
    const { op, path } = request;
    try {
      return { kind: 'changes', changes: [{ op, path, change: preparation.prepare(request) }] };
    } catch (error) {
      return { kind: 'failed', code: errorCode(error) };
    }
  }

  /** A node that the reaper has found may have got a child, or have become ephemeral, meanwhile. */
  #mayReap(path: string): boolean {
    const node = this.tree.get(path);
    return node !== undefined && node.children.size === 0 && ownerKind(node.owner) !== 'session';
  }

  #preparation(requester: Requester): Preparation {
    return new Preparation(new PendingTree(this.tree), requester, this.ttlNodes);
  }

  #change({ op, path, change }: DecidedChange, moment: Moment): ChangeOutcome {
    const stat = this.#apply(change, moment);
    // The path of a sequential node differs from the requested one.
    return { op, path: change.kind === 'create' ? change.path : path, ...(stat && { stat }) };
  }

  #apply(change: Change, moment: Moment) {
    const { stat, events } = this.tree.apply(change, moment);
    for (const event of events) this.watches.dispatch(event);
    return stat;
  }
}

/** All steps or none. */
function decideSteps(steps: readonly StepRequest[], preparation: Preparation): Effect {
  const changes: DecidedChange[] = [];
  for (const [index, step] of steps.entries()) {
    try {
      changes.push({ op: step.op, path: step.path, change: preparation.prepare(step) });
    } catch (error) {
      return { kind: 'failedSteps', codes: failedSteps(steps.length, index, errorCode(error)) };
    }
  }
  return { kind: 'changes', changes };
}

/**
 * Like a real server: OK for the steps before the failed one, though undone, and RUNTIME_INCONSISTENCY for those
 * after it.
 */
function failedSteps(count: number, failed: number, code: number): number[] {
  return Array.from({ length: count }, (_, index) =>
    index < failed ? ERROR_CODES.OK : index === failed ? code : ERROR_CODES.RUNTIME_INCONSISTENCY,
  );
}

function deletion(path: string): DecidedChange {
  return { op: OP.DELETE, path, change: { kind: 'delete', path } };
}

function succeeded(outcomes: readonly ChangeOutcome[]): TransactionResult {
  return { code: ERROR_CODES.OK, outcomes };
}
