import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { LockUnavailableError } from '../../lib/locking/errors/lock-unavailable.error.js';
import { LOCAL_GRANTS, fencingToken, tokenOf } from '../../lib/zookeeper/recipe/fencing-token.js';

const LAST_EPOCH = 2n ** 20n - 1n;

/** Transaction ids whose epoch fits. */
const czxid = fc.bigInt({ min: 0n, max: (LAST_EPOCH << 32n) | 0xffff_ffffn });
const localGrant = fc.integer({ min: 0, max: 2_047 });

describe('the layout is a wire format: epoch << 43 | counter << 11 | n', () => {
  test.for([
    ['the first transaction', 0n, 0, 0n],
    ['a counter', 1n, 0, 2_048n],
    ['a local grant', 1n, 5, 2_053n],
    ['an epoch', 1n << 32n, 0, 1n << 43n],
    ['a real one', 0x5_0000_0012n, 3, (5n << 43n) | (0x12n << 11n) | 3n],
    ['the largest: 63 bits', (LAST_EPOCH << 32n) | 0xffff_ffffn, 2_047, 2n ** 63n - 1n],
  ] as const)('%s', ([, czxid, n, token]) => {
    expect(fencingToken(czxid, n)).toBe(token);
  });

  test('its parts can be read back', () => {
    fc.assert(
      fc.property(czxid, localGrant, (czxid, n) => {
        const token = fencingToken(czxid, n);
        expect(token >> 11n).toBe(czxid);
        expect(Number(token & 2_047n)).toBe(n);
        expect(BigInt.asUintN(63, token)).toBe(token);
      }),
    );
  });
});

test('a later contender has a larger token than any local grant of an earlier one', () => {
  fc.assert(
    fc.property(czxid, czxid, localGrant, localGrant, (a, b, n, m) => {
      fc.pre(a < b);
      expect(fencingToken(a, n) < fencingToken(b, m)).toBe(true);
    }),
  );
});

test('a later local grant has a larger token', () => {
  fc.assert(
    fc.property(czxid, localGrant, localGrant, (czxid, n, m) => {
      fc.pre(n < m);
      expect(fencingToken(czxid, n) < fencingToken(czxid, m)).toBe(true);
    }),
  );
});

describe('refuses', () => {
  test('an epoch that does not fit', () => {
    expect(() => fencingToken(2n ** 52n)).toThrow(
      new RangeError("ZooKeeper's epoch 1048576 does not fit into a fencing token: the maximum is 1048575"),
    );
    expect(() => fencingToken(-1n)).toThrow(RangeError);
  });

  test.for([-1, 2_048, 0.5, NaN])('local grant %s', (n) => {
    expect(() => fencingToken(1n, n)).toThrow(RangeError);
  });

  test('exactly the local grants beyond 2,047', () => {
    expect(LOCAL_GRANTS).toBe(2_048);
    expect(() => fencingToken(1n, LOCAL_GRANTS - 1)).not.toThrow();
  });
});

test.for([0n, -1n, 2n ** 52n, 2n ** 62n])('a contender with czxid %s gets no token, and no lock', (czxid) => {
  expect(() => tokenOf(czxid, 'order')).toThrow(LockUnavailableError);
  expect(() => tokenOf(czxid, 'order')).toThrow("Lock 'order' is unavailable: ");
});
