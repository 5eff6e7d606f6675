import { describe, expect, test } from 'vitest';
import { SessionDeadline } from '../../lib/zookeeper/session/session-deadline.js';

const T = 12_000;
const MARGIN = 120;

/** A deadline attached at 1,000 whose heartbeats were sent at these times, each acknowledged before the next. */
function deadlineAfter(...sent: number[]): SessionDeadline {
  const deadline = new SessionDeadline();
  deadline.accepted(1_000, T);
  beat(deadline, ...sent);
  return deadline;
}

function beat(deadline: SessionDeadline, ...sent: number[]): void {
  for (const at of sent) {
    deadline.sent(at);
    deadline.acknowledged();
  }
}

test('there is no deadline before a quorum has answered: a deposed leader accepts connections too', () => {
  expect(new SessionDeadline().at).toBe(-Infinity);
  expect(deadlineAfter().at).toBe(-Infinity);
});

describe('the acknowledgement of heartbeat k proves heartbeat k - 2 (H31)', () => {
  test.for([
    [1, [1_100], 1_000],
    [2, [1_100, 3_000], 1_000],
    [3, [1_100, 3_000, 5_000], 1_100],
    [4, [1_100, 3_000, 5_000, 7_000], 3_000],
    [7, [1_100, 3_000, 5_000, 7_000, 9_000, 11_000, 13_000], 9_000],
  ] as const)('k = %i', ([, sent, proven]) => {
    expect(deadlineAfter(...sent).at).toBe(proven + T - MARGIN);
  });

  test('a heartbeat that has only been sent proves nothing', () => {
    const deadline = deadlineAfter(1_100, 3_000);
    deadline.sent(5_000);
    expect(deadline.at).toBe(1_000 + T - MARGIN);
  });

  test('a refused heartbeat is not counted', () => {
    const deadline = deadlineAfter(1_100, 3_000, 5_000);
    for (const at of [7_000, 9_000]) {
      deadline.sent(at);
      deadline.refused();
    }
    expect(deadline.at).toBe(1_100 + T - MARGIN);
    beat(deadline, 11_000);
    expect(deadline.at).toBe(3_000 + T - MARGIN);
    beat(deadline, 13_000);
    expect(deadline.at).toBe(5_000 + T - MARGIN);
  });

  test('a refused first heartbeat is not counted either', () => {
    const deadline = deadlineAfter();
    deadline.sent(1_100);
    deadline.refused();
    beat(deadline, 3_000, 5_000);
    expect(deadline.at).toBe(1_000 + T - MARGIN);
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
    const deadline = new SessionDeadline();
    deadline.accepted(0, timeout);
    beat(deadline, 1);
    expect(deadline.at).toBe(timeout - margin);
  });
});

describe('a reconnection', () => {
  test('starts the numbering again: old heartbeats prove nothing about the new stream', () => {
    const deadline = deadlineAfter(1_100, 3_000, 5_000);
    deadline.accepted(8_000, T);
    expect(deadline.at).toBe(1_100 + T - MARGIN);
    for (const at of [8_100, 10_000]) {
      beat(deadline, at);
      expect(deadline.at).toBe(8_000 + T - MARGIN);
    }
    beat(deadline, 12_000);
    expect(deadline.at).toBe(8_100 + T - MARGIN);
  });

  test('moves the deadline back if the server grants less than the one before, at once', () => {
    const deadline = deadlineAfter(1_100, 3_000, 5_000, 7_000);
    deadline.accepted(8_000, T / 6);
    expect(deadline.at).toBe(8_000 + T / 6 - 50);
  });

  test('does not move the deadline if it grants the same', () => {
    const deadline = deadlineAfter(1_100, 3_000, 5_000, 7_000);
    const before = deadline.at;
    deadline.accepted(8_000, T);
    expect(deadline.at).toBe(before);
  });

  test('adopts a longer timeout after a quorum has answered on it', () => {
    const deadline = deadlineAfter(1_100);
    deadline.accepted(2_000, 2 * T);
    expect(deadline.at).toBe(1_000 + T - MARGIN);
    beat(deadline, 2_100);
    expect(deadline.at).toBe(2_000 + 2 * T - 2 * MARGIN);
  });
});

test('after the end there is no deadline', () => {
  const deadline = deadlineAfter(3_000);
  deadline.ended();
  expect(deadline.at).toBe(-Infinity);
});
