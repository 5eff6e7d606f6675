import { expect, test } from 'vitest';
import { check } from '../../checker/verdict.js';
import type { AttemptPlan } from '../../attempts/attempt-plan.js';
import type { ProcessEvent } from '../../history/process-event.js';
import { runScenario } from '../run/run-scenario.js';
import { lockPlan, processPlan } from '../run/spec-plans.js';
import type { Fault, PlannedFault, QueueChange } from '../scenario/fault.js';

/** Two callers, one after the other, of a lock that the first one leaves behind if it is killed. */
async function run(faults: readonly PlannedFault[], terms: Partial<AttemptPlan> = {}) {
  const { history } = await runScenario({
    seed: '1',
    ensemble: { size: 3, tickTime: 200, syncLimit: 4, rates: [1, 1, 1] },
    processes: ['p1', 'p2'].map((process) => processPlan(process, 1_000)),
    resources: ['orders'],
    calls: [
      { at: 5_000, process: 'p1', plan: { ...lockPlan('orders', 500), ...terms } },
      { at: 8_000, process: 'p2', plan: { ...lockPlan('orders', 500), ...terms } },
    ],
    faults,
    quietFrom: 20_000,
  });
  expect(check(history).violations).toEqual([]);
  return history;
}

/** Of the first process. */
function statesOf(events: readonly ProcessEvent[]): string[] {
  return events.flatMap((event) =>
    event.what === 'connection' && event.actor === 'p1.1' ? [event.state] : [],
  );
}

/** Of the caller. */
function stepsOf(attempt: string, events: readonly ProcessEvent[]): string[] {
  const own = events.filter((event) => 'attempt' in event && event.attempt === attempt);
  return own.map(({ what }) => what).filter((what) => what !== 'emitted');
}

function next(kind: 'abortUnheard' | 'loseAnswer', change: QueueChange): Fault {
  const awaited = { resource: 'orders', change, ms: 5_000 };
  return kind === 'loseAnswer' ? { kind, ...awaited, away: 100 } : { kind, ...awaited };
}

test('a caller gives up when its contender is there, and before it knows', async () => {
  const { events, faults } = await run([{ at: 4_000, fault: next('abortUnheard', 'join') }]);

  expect(faults).toMatchObject([{ struck: true, targets: [] }]);
  expect(faults[0]!.from).toBeLessThan(5_100_000_000n);
  expect(stepsOf('p1.1#1', events)).toEqual(['asked', 'aborting', 'ended']);
});

test('a caller gives up when it has taken over a closed lock, and before it knows', async () => {
  const faults: PlannedFault[] = [
    { at: 5_300, fault: { kind: 'kill', host: 'p1', ms: 100 } },
    { at: 6_000, fault: next('abortUnheard', 'takeOver') },
  ];
  const { events } = await run(faults, { failure: 'closed', ownedBy: 'application' });

  expect(stepsOf('p2.1#1', events)).toEqual(['asked', 'aborting', 'ended']);
});

test.each(['join', 'leave'] as const)('the answer to %s is lost', async (change) => {
  const { events, faults } = await run([{ at: 4_000, fault: next('loseAnswer', change) }]);

  expect(faults).toMatchObject([{ struck: true, targets: ['p1'] }]);
  expect(statesOf(events)).toEqual(['ready', 'suspended', 'resumed']);
});

test('a process is stopped before it hears that its contender is there, and finds its session ended', async () => {
  const awaited = { resource: 'orders', change: 'join', ms: 5_000 } as const;
  const fault: Fault = { kind: 'pauseUnheard', ...awaited, stopped: 2_000, away: 400 };
  const { events, faults } = await run([{ at: 4_000, fault }]);

  expect(faults).toMatchObject([{ struck: true, targets: ['p1'] }]);
  expect(faults[0]!.to - faults[0]!.from).toBe(2_400_000_000n);
  expect(statesOf(events)).toEqual(['ready', 'suspended', 'sessionExpired', 'ready']);
  expect(stepsOf('p1.1#1', events)).toContain('granted');
});

test('nothing is struck if no such change comes in time', async () => {
  const { faults } = await run([{ at: 4_000, fault: next('loseAnswer', 'takeOver') }]);
  expect(faults).toMatchObject([{ struck: false }]);
});
