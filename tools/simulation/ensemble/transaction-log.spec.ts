import { expect, it } from 'vitest';
import type { Transaction } from '../../../lib/testing/transactions/transaction.js';
import { TransactionLog } from './transaction-log.js';

const transaction = (zxid: bigint): Transaction => ({
  zxid,
  time: 0,
  effect: { kind: 'changes', changes: [] },
});

it.each([
  { other: [], common: 0 },
  { other: [1n, 2n], common: 2 },
  { other: [1n, 2n, 4n, 7n], common: 3 },
  { other: [1n, 2n, 4n, 5n, 7n], common: 4 },
  { other: [1n, 3n, 6n], common: 1 },
])('a log of 1, 2, 4, 5 shares $common entries with $other', ({ other, common }) => {
  const log = new TransactionLog();
  log.append(...[1n, 2n, 4n, 5n].map(transaction));

  expect(log.countCommon(other)).toBe(common);
});
