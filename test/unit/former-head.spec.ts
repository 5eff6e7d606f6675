import { describe, expect, test } from 'vitest';
import { contenderPrefix } from '../../lib/zookeeper/recipe/contender-name.js';
import { isFirst, isHeadAfter, mayBeFollowed } from '../../lib/zookeeper/recipe/former-head.js';

const UUID = '00000000-0000-4000-8000-000000000000';
const EPOCH = 1n << 32n;

function contender(sequence: number): string {
  return `${contenderPrefix(UUID, 'exclusive')}${String(sequence).padStart(10, '0')}`;
}

describe('a former head of a queue', () => {
  const former = { name: contender(50), czxid: 1_000n, children: 1 };

  test.each([
    ['the next number soon after it', 51, 1_002n, true],
    ['the next number, after half as many transactions as the number says', 51, 1_025n, true],
    ['the next number, after more transactions: its numbers may have restarted', 51, 1_026n, false],
    ['the next number in a later epoch', 51, 1_002n + EPOCH, false],
    ['the next number by an earlier transaction', 51, 999n, false],
    ['a later number: somebody has joined in between', 52, 1_003n, false],
    ['an earlier number: the numbers have restarted', 3, 1_003n, false],
    ['the same number', 50, 1_003n, false],
  ])('decides about %s', (_what, sequence, czxid, expected) => {
    expect(isHeadAfter(former, { name: contender(sequence), czxid })).toBe(expected);
  });

  test.each([
    [51, false],
    [52, true],
    [53, false],
  ])('that was replaced by another node is followed by number %s: %s', (sequence, expected) => {
    const replaced = { ...former, children: 2 };
    expect(isHeadAfter(replaced, { name: contender(sequence), czxid: 1_003n })).toBe(expected);
  });

  test('proves nothing for a child that is not a contender, or as one', () => {
    expect(isHeadAfter(former, { name: '51', czxid: 1_002n })).toBe(false);
    const child = { name: '50', czxid: 1_000n, children: 1 };
    expect(isHeadAfter(child, { name: contender(51), czxid: 1_002n })).toBe(false);
  });

  test('proves nothing where numbers repeat (H20)', () => {
    const large = { name: contender(2 ** 31 - 2), czxid: 1_000n, children: 1 };
    expect(isHeadAfter(large, { name: contender(2 ** 31 - 1), czxid: 1_002n })).toBe(false);
  });

  test.each([
    [1_000n, true],
    [1_025n, true],
    [1_026n, false],
    [0n, false],
    [EPOCH + 1_000n, false],
  ])('may be followed by the next head if the latest transaction is %s: %s', (lastZxid, expected) => {
    expect(mayBeFollowed(former, lastZxid)).toBe(expected);
  });
});

test.each([
  [contender(0), true],
  [contender(1), false],
  [`${contenderPrefix(UUID, 'exclusive')}-2147483648`, false],
  ['0000000000', false],
])('%s is the first child of a new lock path: %s', (name, expected) => {
  expect(isFirst(name)).toBe(expected);
});
