import { expect, test } from 'vitest';
import {
  commitFenced,
  LockConfigurationError,
  type ZnodeClient,
  type ZnodeTransaction,
} from '../../lib/index.js';
import { ERROR_CODES } from '../../lib/zookeeper/protocol/error-codes.js';

const WRITE = { resource: 'limits', fencingToken: 5n };

/** A client of a store without the fence. */
function recordingClient(): { client: ZnodeClient<ZnodeTransaction>; committed: () => number } {
  let commits = 0;
  const transaction: ZnodeTransaction = {
    create: () => transaction,
    setData: () => transaction,
    check: () => transaction,
    commit: (callback) => {
      commits += 1;
      callback(null, []);
    },
  };
  const client: ZnodeClient<ZnodeTransaction> = {
    getData: (_path, callback) => callback({ code: ERROR_CODES.NO_NODE }, undefined, { version: 0 }),
    transaction: () => transaction,
  };
  return { client, committed: () => commits };
}

// The rejection must be handled too: otherwise the run of the tests fails.
test.for(['resolves', 'rejects'])(
  'an async `add` that %s is refused before anything is written',
  async (end) => {
    const { client, committed } = recordingClient();
    const add = async (transaction: ZnodeTransaction): Promise<void> => {
      await Promise.resolve();
      if (end === 'rejects') throw new Error('no limits');
      transaction.setData('/limits', Buffer.from('5'));
    };
    const writing = commitFenced(client, '/fence', WRITE, add as (transaction: ZnodeTransaction) => unknown);
    await expect(writing).rejects.toThrow(LockConfigurationError);
    await expect(writing).rejects.toThrow(
      '`add` must add its operations before it returns: got an object Promise',
    );
    expect(committed()).toBe(0);
  },
);

test('an `add` that returns the transaction is committed', async () => {
  const { client, committed } = recordingClient();
  await commitFenced(client, '/fence', WRITE, (transaction) =>
    transaction.setData('/limits', Buffer.from('5')),
  );
  expect(committed()).toBe(1);
});
