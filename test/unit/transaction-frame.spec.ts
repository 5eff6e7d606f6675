import { expect, test } from 'vitest';
import { loadPackageInternals } from '../../lib/zookeeper/client/package-internals.js';
import { RequestEncoder } from '../../lib/zookeeper/client/request-encoder.js';
import {
  bytesOfStep,
  EMPTY_TRANSACTION_BYTES,
  encodeTransaction,
} from '../../lib/zookeeper/client/transaction-frame.js';
import { OPEN_ACL } from '../../lib/zookeeper/protocol/acl.js';
import { OP } from '../../lib/zookeeper/protocol/op-codes.js';

test('a transaction out of single requests has the bytes that the client package gives it', () => {
  const requests = new RequestEncoder(loadPackageInternals());
  const create = { path: '/a', mode: 'ephemeral', acl: OPEN_ACL } as const;
  const frames = [
    { type: OP.CREATE, frame: requests.create('/a', create).toBuffer() },
    { type: OP.DELETE, frame: requests.delete('/b').toBuffer() },
  ];
  const transaction = encodeTransaction(frames);
  const asPackage = requests.transaction([
    { op: 'create', ...create },
    { op: 'delete', path: '/b' },
  ]);
  expect(transaction.toString('hex')).toBe(asPackage.toBuffer().toString('hex'));
  const bytes = frames.map(({ frame }) => bytesOfStep(frame));
  expect(transaction).toHaveLength(bytes.reduce((sum, each) => sum + each, EMPTY_TRANSACTION_BYTES));
});
