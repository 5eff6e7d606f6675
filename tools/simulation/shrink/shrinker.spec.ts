import { expect, test } from 'vitest';
import type { Violation } from '../../checker/violation.js';
import { lockPlan, processPlan } from '../run/spec-plans.js';
import type { Scenario } from '../scenario/scenario.js';
import type { Trial } from '../trial/trial.js';
import { Shrinker } from './shrinker.js';

const SCENARIO: Scenario = {
  seed: '1',
  ensemble: { size: 3, tickTime: 1_000, syncLimit: 4, rates: [1, 1, 1] },
  processes: ['p1', 'p2'].map((name) => ({ ...processPlan(name, 4_000), crashGuard: true })),
  resources: ['orders', 'reports'],
  calls: [1, 2, 3].map((at) => ({ at, process: `p${1 + (at % 2)}`, plan: lockPlan('orders', at) })),
  faults: [],
  job: { interval: 200, work: 50, interrupted: 'repeat' },
  quietFrom: 10,
};

/** What a trial is for the shrinker. */
function violates(...invariants: Violation['invariant'][]): Trial {
  const violations = invariants.map((invariant) => ({ invariant, at: 3_000_000n }));
  return { verdict: { violations }, unhandled: [] } as unknown as Trial;
}

async function shrunk(run: (scenario: Scenario) => Promise<Trial>): Promise<Scenario> {
  const shrinker = new Shrinker(SCENARIO, 'S1', () => false, run);
  return shrinker.shrink(violates('S1'));
}

test('leaves out all that a failure does not need, the job and the crash guards too', async () => {
  const { calls, job, processes, resources, ensemble } = await shrunk((scenario) =>
    Promise.resolve(violates(...(scenario.calls.some(({ at }) => at === 2) ? (['S1'] as const) : []))),
  );
  expect(calls.map(({ at }) => at)).toEqual([2]);
  expect(job).toBeUndefined();
  expect(processes).toEqual([processPlan('p1', 4_000)]);
  expect([resources, ensemble.size]).toEqual([['orders'], 1]);
});

test('goes on when a scenario on the way cannot be run', async () => {
  const { calls } = await shrunk(async (scenario) => {
    if (scenario.calls.length === 0) throw new Error('The simulator is broken');
    return violates('S1');
  });
  expect(calls).toHaveLength(1);
});
