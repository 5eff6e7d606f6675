import { expect, test } from 'vitest';
import { check } from '../../checker/verdict.js';
import type { PlannedFault } from '../scenario/fault.js';
import { runScenario } from './run-scenario.js';
import { lockPlan, processPlan } from './spec-plans.js';

const DELETION: PlannedFault = { at: 7_000, fault: { kind: 'deleteContender', resource: 'orders' } };

/** A holder of a closed lock, and a waiter behind it. */
async function run(faults: readonly PlannedFault[]) {
  const { history } = await runScenario({
    seed: '1',
    ensemble: { size: 3, tickTime: 1_000, syncLimit: 4, rates: [1, 1, 1] },
    processes: ['p1', 'p2'].map((process) => processPlan(process, 4_000)),
    resources: ['orders'],
    calls: [
      { at: 5_000, process: 'p1', plan: { ...lockPlan('orders', 8_000), failure: 'closed' } },
      { at: 6_000, process: 'p2', plan: lockPlan('orders', 100) },
    ],
    faults,
    quietFrom: 20_000,
  });
  expect(check(history).violations).toEqual([]);
  return history;
}

test('an operator deletes a closed lock under its holder', async () => {
  const { faults, events } = await run([DELETION]);

  expect(faults).toMatchObject([{ kind: 'contenderDeletion', struck: true, attempt: 'p1.1#1' }]);
  const lost = events.find((event) => event.what === 'emitted' && event.event === 'lost');
  expect(lost).toMatchObject({ attempt: 'p1.1#1', detail: 'deleted' });
  const next = events.find((event) => event.what === 'granted' && event.attempt === 'p2.1#1');
  expect(Number(next!.at) / 1e6).toBeLessThan(7_100);
});

test('of two operators at the same moment, the second one deletes the next contender', async () => {
  const { faults } = await run([DELETION, DELETION]);
  expect(faults).toMatchObject([
    { struck: true, attempt: 'p1.1#1' },
    { struck: true, attempt: 'p2.1#1' },
  ]);
});
