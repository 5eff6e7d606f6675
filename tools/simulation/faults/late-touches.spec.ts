import { expect, test } from 'vitest';
import { check } from '../../checker/verdict.js';
import { runScenario } from '../run/run-scenario.js';
import { lockPlan, processPlan } from '../run/spec-plans.js';

const STRIKES_AT = 6_000;

/** A holder, and one who waits for it, while a touch is late. */
async function run(size: number) {
  const { history } = await runScenario({
    seed: '1',
    ensemble: { size, tickTime: 500, syncLimit: 4, rates: Array.from({ length: size }, () => 1) },
    processes: ['p1', 'p2'].map((process) => processPlan(process, 1_000)),
    resources: ['orders'],
    calls: [
      { at: 5_000, process: 'p1', plan: lockPlan('orders', 6_000) },
      { at: 5_500, process: 'p2', plan: lockPlan('orders', 100) },
    ],
    faults: [
      {
        at: STRIKES_AT,
        fault: { kind: 'lateTouch', resource: 'orders', ms: 1_000, late: 150, away: 3_000 },
      },
    ],
    quietFrom: 20_000,
  });
  expect(check(history).violations).toEqual([]);
  return history;
}

test('the holder loses its lock when only its follower has heard of its last heartbeats', async () => {
  const { events, faults } = await run(3);

  const [fault] = faults;
  expect(fault).toMatchObject({ kind: 'lateTouch', struck: true, targets: ['p1', 's2'] });
  const cutOff = fault!.to - 3_000_000_000n;
  expect(cutOff - fault!.from).toBeGreaterThan(250_000_000n);
  const lost = events.find((event) => event.what === 'emitted' && event.event === 'lost');
  expect(lost).toMatchObject({ attempt: 'p1.1#1' });
  const granted = events.find((event) => event.what === 'granted' && event.attempt === 'p2.1#1');
  expect(granted!.at).toBeGreaterThan(lost!.at);
  expect(granted!.at - cutOff).toBeLessThan(1_500_000_000n);
});

test('a leader learns of heartbeats itself: nothing is struck', async () => {
  const { faults } = await run(1);
  expect(faults).toMatchObject([{ kind: 'lateTouch', struck: false }]);
});
