import { describe, expect, test } from 'vitest';
import { SessionLease } from '../../lib/zookeeper/session/session-lease.js';

const T = 12_000;
const MARGIN = 120;

/** A lease attached at 1,000 whose heartbeats left at these stamps, each acknowledged before the next. */
function leaseAfter(...sent: number[]): SessionLease {
  const lease = new SessionLease();
  lease.attached(1_000, T);
  beat(lease, ...sent);
  return lease;
}

function beat(lease: SessionLease, ...sent: number[]): void {
  for (const at of sent) {
    lease.sent(at);
    lease.acknowledged();
  }
}

test('there is no deadline before a quorum has answered: a deposed leader accepts connections too', () => {
  expect(new SessionLease().deadline).toBe(-Infinity);
  expect(leaseAfter().deadline).toBe(-Infinity);
});

describe('the acknowledgement of heartbeat k proves heartbeat k - 2 (H31)', () => {
  test.for([
    [1, [1_100], 1_000],
    [2, [1_100, 3_000], 1_000],
    [3, [1_100, 3_000, 5_000], 1_100],
    [4, [1_100, 3_000, 5_000, 7_000], 3_000],
    [7, [1_100, 3_000, 5_000, 7_000, 9_000, 11_000, 13_000], 9_000],
  ] as const)('k = %i', ([, sent, proven]) => {
    expect(leaseAfter(...sent).deadline).toBe(proven + T - MARGIN);
  });

  test('one that has only been sent proves nothing', () => {
    const lease = leaseAfter(1_100, 3_000);
    lease.sent(5_000);
    expect(lease.deadline).toBe(1_000 + T - MARGIN);
  });

  test('one that was refused is none of them', () => {
    const lease = leaseAfter(1_100, 3_000, 5_000);
    for (const at of [7_000, 9_000]) {
      lease.sent(at);
      lease.refused();
    }
    expect(lease.deadline).toBe(1_100 + T - MARGIN);
    beat(lease, 11_000);
    expect(lease.deadline).toBe(3_000 + T - MARGIN);
    beat(lease, 13_000);
    expect(lease.deadline).toBe(5_000 + T - MARGIN);
  });

  test('the first one may be refused too', () => {
    const lease = leaseAfter();
    lease.sent(1_100);
    lease.refused();
    beat(lease, 3_000, 5_000);
    expect(lease.deadline).toBe(1_000 + T - MARGIN);
  });
});

describe('the margin is the larger one of 50 ms and T/100', () => {
  test.for([
    [500, 50],
    [4_000, 50],
    [5_000, 50],
    [6_000, 60],
    [20_000, 200],
    [40_000, 400],
  ] as const)('T = %i: %i', ([timeout, margin]) => {
    const lease = new SessionLease();
    lease.attached(0, timeout);
    beat(lease, 1);
    expect(lease.deadline).toBe(timeout - margin);
  });
});

describe('a reconnection', () => {
  test('starts the numbering again: old heartbeats prove nothing about the new stream', () => {
    const lease = leaseAfter(1_100, 3_000, 5_000);
    lease.attached(8_000, T);
    expect(lease.deadline).toBe(1_100 + T - MARGIN);
    for (const at of [8_100, 10_000]) {
      beat(lease, at);
      expect(lease.deadline).toBe(8_000 + T - MARGIN);
    }
    beat(lease, 12_000);
    expect(lease.deadline).toBe(8_100 + T - MARGIN);
  });

  test('moves the deadline back if the server grants less than the one before, at once', () => {
    const lease = leaseAfter(1_100, 3_000, 5_000, 7_000);
    lease.attached(8_000, T / 6);
    expect(lease.deadline).toBe(8_000 + T / 6 - 50);
  });

  test('does not move the deadline if it grants the same', () => {
    const lease = leaseAfter(1_100, 3_000, 5_000, 7_000);
    const { deadline } = lease;
    lease.attached(8_000, T);
    expect(lease.deadline).toBe(deadline);
  });

  test('takes over a longer timeout, once it has been answered by a quorum', () => {
    const lease = leaseAfter(1_100);
    lease.attached(2_000, 2 * T);
    expect(lease.deadline).toBe(1_000 + T - MARGIN);
    beat(lease, 2_100);
    expect(lease.deadline).toBe(2_000 + 2 * T - 2 * MARGIN);
  });
});

test('after the end there is no deadline any more', () => {
  const lease = leaseAfter(3_000);
  lease.ended();
  expect(lease.deadline).toBe(-Infinity);
});
