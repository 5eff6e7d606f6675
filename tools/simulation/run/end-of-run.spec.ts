import { expect, test } from 'vitest';
import { check } from '../../checker/verdict.js';
import { runScenario } from './run-scenario.js';
import { lockPlan, processPlan } from './spec-plans.js';

const FOREIGN = '0123456789abcdef0123456789abcdef__lock__';

/** A client of another library queues, and leaves after `ms`; its session ends before the run does. */
async function violations(ms: number): Promise<string[]> {
  const { history } = await runScenario({
    seed: '1',
    ensemble: { size: 1, tickTime: 1_000, syncLimit: 4, rates: [1] },
    processes: [processPlan('p1', 4_000)],
    resources: ['orders'],
    calls: [{ at: 5_000, process: 'p1', plan: lockPlan('orders', 2_000) }],
    faults: [{ at: 5_500, fault: { kind: 'foreign', resource: 'orders', name: FOREIGN, ms } }],
    quietFrom: 20_000,
  });
  return check(history).violations.map(({ invariant, sentence }) => `${invariant}: ${sentence}`);
}

test('C1, what calls leave behind is seen while the sessions still are', async () => {
  expect(await violations(3_000)).toEqual([]);
  const [contender, ...others] = await violations(38_000);
  expect(contender).toMatch(/^C1: contender \/locks\/orders\/\w+__lock__0000000001 foreign was not deleted$/);
  expect(others).toEqual([]);
});
