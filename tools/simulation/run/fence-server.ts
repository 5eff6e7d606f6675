import {
  codeOf,
  type ZnodeClient,
  type ZnodeTransaction,
} from '../../../lib/fencing/znode/znode-client.interface.js';
import type { Proposal, TransactionResult } from '../../../lib/testing/transactions/transaction.js';
import { Store } from '../../../lib/testing/transactions/store.js';
import type { StepRequest } from '../../../lib/testing/wire/requests.js';
import { OPEN_ACL } from '../../../lib/zookeeper/protocol/acl.js';
import { ERROR_CODES } from '../../../lib/zookeeper/protocol/error-codes.js';
import { OP } from '../../../lib/zookeeper/protocol/op-codes.js';

/** Calls back when a message has arrived on the other side. */
export type Travel = (arrived: () => void) => void;

const ANY_VERSION = -1;
/** Of no session: fences are not ephemeral. */
const REQUESTER = { session: 0n, identities: [] };

/** A server for fences, in no ensemble, that no fault affects. Its clients do as node-zookeeper-client does. */
export class FenceServer {
  readonly #store: Store;

  /** @param now ms */
  constructor(now: () => number) {
    this.#store = new Store({ wall: now }, false);
  }

  /** @param committed called by the server when a transaction of this client has succeeded */
  client(travel: Travel, committed: () => void): ZnodeClient<FenceTransaction> {
    return {
      getData: (path, callback) =>
        travel(() => {
          const node = this.#store.tree.get(path);
          const reply = node && { data: node.data ?? undefined, stat: { version: node.version } };
          const error = reply ? null : { code: ERROR_CODES.NO_NODE };
          travel(() => callback(error, reply?.data, reply?.stat ?? { version: ANY_VERSION }));
        }),
      transaction: () =>
        new FenceTransaction((steps, callback) =>
          travel(() => {
            const { outcomes } = this.#execute({ kind: 'multi', steps, requester: REQUESTER });
            const results = outcomes.map((outcome) => ({ err: codeOf(outcome) }));
            const failed = results.find(({ err }) => err !== ERROR_CODES.OK);
            if (failed === undefined) committed();
            travel(() => callback(failed && { code: failed.err }, results));
          }),
        ),
    };
  }

  #execute(proposal: Proposal): TransactionResult {
    return this.#store.apply(this.#store.decide(proposal));
  }
}

type Commit = (steps: readonly StepRequest[], callback: (error: unknown, results: unknown) => void) => void;

class FenceTransaction implements ZnodeTransaction {
  readonly #steps: StepRequest[] = [];

  constructor(private readonly commitSteps: Commit) {}

  create(path: string, data: Buffer): void {
    this.#steps.push({ op: OP.CREATE, path, data, acl: [...OPEN_ACL], flags: 0, ttl: -1n });
  }

  setData(path: string, data: Buffer, version?: number): void {
    this.#steps.push({ op: OP.SET_DATA, path, data, version: versionOf(version) });
  }

  check(path: string, version: number): void {
    this.#steps.push({ op: OP.CHECK, path, version: versionOf(version) });
  }

  commit(callback: (error: unknown, results: unknown) => void): void {
    this.commitSteps(this.#steps, callback);
  }
}

/** As node-zookeeper-client: it takes version 0 for "any version". */
function versionOf(version: number | undefined): number {
  return version || ANY_VERSION;
}
