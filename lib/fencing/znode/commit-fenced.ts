import { describeValue } from '../../locking/describe-value.js';
import { LockConfigurationError } from '../../locking/errors/lock-configuration.error.js';
import { StaleFencingTokenError } from '../../locking/errors/stale-fencing-token.error.js';
import { isForgottenPromise } from '../../locking/forgotten-promise.js';
import { ERROR_CODES } from '../../zookeeper/protocol/error-codes.js';
import { assertFencedWrite, type FencedWrite } from '../fenced-write.js';
import { addGuards, readFence } from './fence-znode.js';
import { codeOf, type ZnodeClient, type ZnodeTransaction } from './znode-client.interface.js';

/** The fence has changed since it was read. */
const CHANGED: ReadonlySet<number> = new Set([
  ERROR_CODES.BAD_VERSION,
  ERROR_CODES.NODE_EXISTS,
  ERROR_CODES.NO_NODE,
]);

/**
 * Writes to ZooKeeper in one transaction, together with a check of the fence: a znode that contains the newest token of the
 * resource. The server rejects the whole transaction if a later holder of the lock has written. A holder may write several
 * times.
 *
 * Creates the fence if it does not exist; its parent must exist. Do not delete a fence as long as a late writer can be left.
 *
 * @param client your own client of node-zookeeper-client, connected
 * @param fence path of the fence
 * @param write a `HeldLock`, or the name of its lock and the token that arrived with the write
 * @param add adds the operations to the transaction, before it returns; called again if another writer was faster
 * @throws StaleFencingTokenError if the write is too late
 * @throws LockConfigurationError if the name, the token, the mode of the hold or the fence is invalid, or `add` is async
 * @throws the error of the client, for a lost connection or a failed operation of `add`
 * @publicApi
 * @example
 * await commitFenced(zookeeper, '/config/fence', held, (transaction) => {
 *   transaction.setData('/config/limits', Buffer.from(JSON.stringify(limits)));
 * });
 */
export async function commitFenced<Transaction extends ZnodeTransaction>(
  client: ZnodeClient<Transaction>,
  fence: string,
  write: FencedWrite,
  add: (transaction: Transaction) => void,
): Promise<void> {
  assertFencedWrite(write);
  const { fencingToken } = write;
  // Another round means that another writer has changed the fence, and tokens only grow: so this ends.
  for (;;) {
    const found = await readFence(client, fence);
    if (found !== undefined && found.token > fencingToken)
      throw new StaleFencingTokenError(write, { newest: found.token });
    const transaction = client.transaction();
    const guards = addGuards(transaction, fence, found, fencingToken);
    refuseAsync(add(transaction));
    const failure = await commit(transaction);
    if (failure === undefined) return;
    const { operation, error } = failure;
    if (operation >= guards || !CHANGED.has(codeOf(error))) throw error;
    if (found === undefined && codeOf(error) === ERROR_CODES.NO_NODE) throw withoutParent(fence, error);
  }
}

/** Operations that are added after the commit would be lost, and the caller would not know. */
function refuseAsync(result: unknown): void {
  if (!isForgottenPromise(result)) return;
  throw new LockConfigurationError(
    `\`add\` must add its operations before it returns: got ${describeValue(result)} from it, and what it adds later would ` +
      'be lost. Load what they need before the call of commitFenced()',
  );
}

interface Failure {
  /** Index of the operation that failed; Infinity if the transaction failed as a whole. */
  readonly operation: number;
  readonly error: unknown;
}

function commit(transaction: ZnodeTransaction): Promise<Failure | undefined> {
  return new Promise((resolve) => {
    transaction.commit((error, results) => {
      if (!error) return resolve(undefined);
      const operations = Array.isArray(results) ? (results as readonly { readonly err?: number }[]) : [];
      const failed = operations.findIndex(({ err = ERROR_CODES.OK }) => err !== ERROR_CODES.OK);
      resolve({ operation: failed === -1 ? Infinity : failed, error });
    });
  });
}

function withoutParent(path: string, cause: unknown): LockConfigurationError {
  return new LockConfigurationError(
    `The fence '${path}' cannot be created: its parent does not exist. Create that first, for example with mkdirp()`,
    { cause },
  );
}
