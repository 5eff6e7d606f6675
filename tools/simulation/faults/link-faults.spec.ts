import { expect, test } from 'vitest';
import { runScenario } from '../run/run-scenario.js';
import { processPlan } from '../run/spec-plans.js';
import type { Fault } from '../scenario/fault.js';

/** Whether a fault has struck anything. */
async function strikes(fault: Fault): Promise<boolean | undefined> {
  const { history } = await runScenario({
    seed: '1',
    ensemble: { size: 3, tickTime: 1_000, syncLimit: 4, rates: [1, 1, 1] },
    processes: [processPlan('p1', 4_000)],
    resources: ['orders'],
    calls: [],
    faults: [{ at: 1_000, fault }],
    quietFrom: 2_000,
  });
  return history.faults[0]?.struck;
}

test.each([
  ['p1', 's1', true],
  ['s1', 'p1', true],
  ['s1', 's2', false],
])('a cut and a lost FIN from %s to %s have struck: %s', async (from, to, expected) => {
  expect(await strikes({ kind: 'cut', from, to, bytes: 10 })).toBe(expected);
  expect(await strikes({ kind: 'swallowFin', from, to, ms: 100 })).toBe(expected);
});

test.each([
  ['p1', 's1', true],
  ['s1', 'p1', false],
  ['s1', 's2', false],
])('a refused connection from %s to %s has struck: %s', async (from, to, expected) => {
  expect(await strikes({ kind: 'refuse', from, to, ms: 100 })).toBe(expected);
});
