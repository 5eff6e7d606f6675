import { expect, test } from 'vitest';
import type { AttemptPlan } from '../../attempts/attempt-plan.js';
import { lockPlan } from '../run/spec-plans.js';
import { Random } from '../world/random.js';
import { informed } from './draw-permits.js';
import type { PlannedCall, PlannedRequest } from './scenario.js';

const call = (at: number, plan: Partial<AttemptPlan> = {}): PlannedCall => ({
  at,
  process: 'p1',
  plan: { ...lockPlan('orders', 10), ...plan },
});
const change = (at: number, permits: number, resource = 'orders'): PlannedRequest => ({
  at,
  process: 'p1',
  resource,
  permits,
});

/** The numbers that 100 calls name with these changes. */
function named(changes: readonly PlannedRequest[], one: PlannedCall): Set<number | undefined> {
  const calls = informed(
    Array.from({ length: 100 }, () => one),
    changes,
    new Random('1'),
  );
  return new Set(calls.map(({ plan }) => plan.permits));
}

test('most calls name the number that the last change before them has set, and some an earlier one', () => {
  const changes = [change(10, 3), change(20, 4), change(25, 1, 'reports'), change(40, 5)];
  expect(named(changes, call(30, { mode: 'semaphore', permits: 2 }))).toEqual(new Set([2, 4]));
  expect(named(changes, call(5, { mode: 'semaphore', permits: 2 }))).toEqual(new Set([2]));
});

test('calls without permits name none', () => {
  expect(named([change(10, 3)], call(30))).toEqual(new Set([undefined]));
});
