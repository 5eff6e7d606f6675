import type { Clock } from '../../locking/clock.js';
import { ERROR_CODES } from '../../zookeeper/protocol/error-codes.js';
import type { Change, Moment } from '../tree/change.js';
import { DataTree } from '../tree/data-tree.js';
import { ownerKind } from '../tree/ephemeral-owner.js';
import { TreeWatches } from '../watches/tree-watches.js';
import type { ChangeRequest, StepRequest } from '../wire/requests.js';
import type { Outcome, StepOutcome } from '../wire/step-outcomes.js';
import { PendingTree } from './pending-tree.js';
import { errorCode, Preparation, type Requester } from './prepare.js';

/** The nodes and their watches. Each change is a transaction with a zxid. */
export class Store {
  readonly tree = new DataTree();
  readonly watches = new TreeWatches();
  #zxid = 0n;

  constructor(
    private readonly clock: Clock,
    private readonly ttlNodes: boolean,
  ) {}

  /** Zxid of the last transaction. */
  get zxid(): bigint {
    return this.#zxid;
  }

  /** Begins a transaction. A transaction that fails uses up its zxid too. */
  begin(): Moment {
    this.#zxid += 1n;
    return { zxid: this.#zxid, time: Math.floor(this.clock.wall()) };
  }

  /** @throws OperationError */
  change(request: ChangeRequest, requester: Requester, moment: Moment): Outcome {
    return this.#apply(this.#preparation(requester).prepare(request), request.path, moment);
  }

  /** Executes all steps or none. */
  transact(steps: readonly StepRequest[], requester: Requester, moment: Moment): StepOutcome[] {
    const preparation = this.#preparation(requester);
    const changes: Change[] = [];
    for (const [index, step] of steps.entries()) {
      try {
        changes.push(preparation.prepare(step));
      } catch (error) {
        return failedSteps(steps.length, index, errorCode(error));
      }
    }
    return changes.map((change, index) => {
      const { op, path } = steps[index]!;
      return { op, ...this.#apply(change, path, moment) };
    });
  }

  /** Deletes the ephemeral nodes of a session. */
  endSession(session: bigint): void {
    const moment = this.begin();
    for (const path of this.tree.ephemeralsOf(session)) this.#apply({ kind: 'delete', path }, path, moment);
    this.tree.forgetSession(session);
  }

  /** Deletes a node that the reaper has found, unless it has a child or has become ephemeral meanwhile. */
  reap(path: string): void {
    const moment = this.begin();
    const node = this.tree.get(path);
    const mayGo = node && node.children.size === 0 && ownerKind(node.owner) !== 'session';
    if (mayGo) this.#apply({ kind: 'delete', path }, path, moment);
  }

  #preparation(requester: Requester): Preparation {
    return new Preparation(new PendingTree(this.tree), requester, this.ttlNodes);
  }

  #apply(change: Change, path: string, moment: Moment): Outcome {
    const { stat, events } = this.tree.apply(change, moment);
    for (const event of events) this.watches.dispatch(event);
    // The path of a sequential node differs from the requested one.
    return { path: change.kind === 'create' ? change.path : path, stat };
  }
}

/**
 * Like a real server: OK for the steps before the failed one, though undone, and RUNTIME_INCONSISTENCY for those
 * after it.
 */
function failedSteps(count: number, failed: number, code: number): StepOutcome[] {
  return Array.from({ length: count }, (_, index) => ({
    op: -1 as const,
    code: index < failed ? ERROR_CODES.OK : index === failed ? code : ERROR_CODES.RUNTIME_INCONSISTENCY,
  }));
}
