import { expect, test } from 'vitest';
import { lockPlan, processPlan } from '../run/spec-plans.js';
import type { Scenario } from '../scenario/scenario.js';
import { failureOf, tryScenario } from './trial.js';

const SCENARIO: Scenario = {
  seed: '1',
  ensemble: { size: 1, tickTime: 1_000, syncLimit: 4, rates: [1] },
  processes: [processPlan('p1', 4_000)],
  resources: ['orders'],
  calls: [{ at: 1_000, process: 'p1', plan: lockPlan('orders', 100) }],
  faults: [],
  quietFrom: 2_000,
};

test('a warning of Node is a failure, as what nobody handles', async () => {
  expect(failureOf(await tryScenario(SCENARIO))).toBeUndefined();
  const trial = tryScenario(SCENARIO);
  process.emitWarning('a leak');
  expect(failureOf(await trial)).toBe('unhandled');
});
