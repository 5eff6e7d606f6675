import { expect, test } from 'vitest';
import type { Scenario } from '../scenario/scenario.js';
import type { Fault } from '../scenario/fault.js';
import { runScenario } from './run-scenario.js';
import { lockPlan, processPlan } from './spec-plans.js';

const SESSION_TIMEOUT_MS = 20_000;
const STRIKE_AT_MS = 15_000;

function scenario(seed: string, fault: Fault, crashGuard: boolean): Scenario {
  return {
    seed,
    ensemble: { size: 1, tickTime: 1_000, syncLimit: 4, rates: [1] },
    processes: [
      { ...processPlan('p1', SESSION_TIMEOUT_MS), crashGuard },
      processPlan('p2', SESSION_TIMEOUT_MS),
    ],
    resources: ['orders'],
    calls: [
      { at: 5_000, process: 'p1', plan: lockPlan('orders', 60_000) },
      { at: 10_000, process: 'p2', plan: lockPlan('orders', 10) },
    ],
    faults: [{ at: STRIKE_AT_MS, fault }],
    quietFrom: 100_000,
  };
}

/** How long after the fault the second process was granted the lock, ms. */
async function waitAfter(fault: Fault, crashGuard: boolean): Promise<number[]> {
  const waits = [];
  for (const seed of ['1', '2', '3', '4', '5', '6', '7', '8', '9', '10']) {
    const { history } = await runScenario(scenario(seed, fault, crashGuard));
    const grant = history.events.find(({ what, actor }) => what === 'granted' && actor === 'p2.1');
    waits.push(Number((grant?.at ?? 0n) / 1_000_000n) - STRIKE_AT_MS);
  }
  return waits.toSorted((a, b) => a - b);
}

test('a guard closes the sessions of a process that is killed, unless it dies with it', async () => {
  const waits = await waitAfter({ kind: 'kill', host: 'p1', ms: 40_000 }, true);

  expect(waits.filter((wait) => wait < 1_000).length).toBeGreaterThan(5);
  expect(waits.some((wait) => wait > SESSION_TIMEOUT_MS / 2)).toBe(true);
});

test('without a guard, a session outlives its process', async () => {
  const waits = await waitAfter({ kind: 'kill', host: 'p1', ms: 40_000 }, false);

  expect(waits[0]).toBeGreaterThan(SESSION_TIMEOUT_MS / 2);
});

test('a guard lets a stopped process keep its sessions', async () => {
  const waits = await waitAfter({ kind: 'pause', host: 'p1', ms: 5_000 }, true);

  expect(waits[0]).toBeGreaterThan(SESSION_TIMEOUT_MS / 2);
});
