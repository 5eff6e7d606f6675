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

/** The nodes and who watches them, changed by one numbered transaction after the other. */
export class Store {
  readonly tree = new DataTree();
  readonly watches = new TreeWatches();
  #zxid = 0n;

  constructor(
    private readonly clock: Clock,
    private readonly ttlNodes: boolean,
  ) {}

  /** Of the last transaction. */
  get zxid(): bigint {
    return this.#zxid;
  }

  /** Begins a transaction. One that fails has used its number up as well. */
  begin(): Moment {
    this.#zxid += 1n;
    return { zxid: this.#zxid, time: Math.floor(this.clock.wall()) };
  }

  /** @throws OperationError */
  change(request: ChangeRequest, requester: Requester, moment: Moment): Outcome {
    return this.#apply(this.#preparation(requester).prepare(request), request.path, moment);
  }

  /** All of them or none. */
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

  /** Removes the ephemeral nodes of a session that ends. */
  endSession(session: bigint): void {
    const moment = this.begin();
    for (const path of this.tree.ephemeralsOf(session)) this.#apply({ kind: 'delete', path }, path, moment);
    this.tree.forgetSession(session);
  }

  /** Removes a node that a reaper has found; it may have a child again by now, or be another one. */
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
    // A sequential node has another path than was asked for.
    return { path: change.kind === 'create' ? change.path : path, stat };
  }
}

/** Those before the one that failed are told "ok", though they did not happen; those after it something else. */
function failedSteps(count: number, failed: number, code: number): StepOutcome[] {
  return Array.from({ length: count }, (_, index) => ({
    op: -1 as const,
    code: index < failed ? ERROR_CODES.OK : index === failed ? code : ERROR_CODES.RUNTIME_INCONSISTENCY,
  }));
}
