import { expect, test } from 'vitest';
import { check } from '../../checker/verdict.js';
import { milliseconds } from '../../history/moments.js';
import type { Scenario } from '../scenario/scenario.js';
import { runScenario } from './run-scenario.js';
import { lockPlan, processPlan } from './spec-plans.js';

/** A holder, a contender of another library that comes while it holds, and a waiter behind that one. */
function scenario(name: string): Scenario {
  return {
    seed: '1',
    ensemble: { size: 3, tickTime: 1_000, syncLimit: 4, rates: [1, 1, 1] },
    processes: ['p1', 'p2'].map((process) => processPlan(process, 4_000)),
    resources: ['orders'],
    calls: [
      { at: 5_000, process: 'p1', plan: lockPlan('orders', 2_000) },
      { at: 6_000, process: 'p2', plan: lockPlan('orders', 100) },
    ],
    faults: [{ at: 5_500, fault: { kind: 'foreign', resource: 'orders', name, ms: 3_000 } }],
    quietFrom: 20_000,
  };
}

async function grantsWith(name: string): Promise<string[]> {
  const { history } = await runScenario(scenario(name));
  expect(check(history).violations).toEqual([]);
  const modes = new Map<string, string>();
  for (const event of history.events) if (event.what === 'asked') modes.set(event.attempt, event.mode);
  return history.events.flatMap((event) =>
    event.what === 'granted' ? [`${event.attempt} ${modes.get(event.attempt)}`] : [],
  );
}

test('a contender of another library has the lock in its turn', async () => {
  expect(await grantsWith('0123456789abcdef0123456789abcdef__lock__')).toEqual([
    'p1.1#1 exclusive',
    'f1.1#1 exclusive',
    'p2.1#1 exclusive',
  ]);
});

test('a writer of another library goes on as a reader, in its place', async () => {
  expect(await grantsWith('_c_00000000-0000-4000-8000-000000000000-__WRIT__')).toEqual([
    'p1.1#1 exclusive',
    'f1.1#1 write',
    'f1.1#2 read',
    'p2.1#1 exclusive',
  ]);
});

test.each([
  ['tell others that its node exists', {}],
  ['do not tell that, either', { hidesStats: true }],
])('nobody is notified when a private contender leaves, and servers %s', async (_what, version) => {
  const { ensemble, ...rest } = scenario('0123456789abcdef0123456789abcdef__lock__');
  const faults = rest.faults.map(({ at, fault }) => ({ at, fault: { ...fault, isPrivate: true } }) as const);
  const { history } = await runScenario({ ...rest, ensemble: { ...ensemble, ...version }, faults });
  expect(check(history).violations).toEqual([]);
  const timesOf = (what: string): number[] =>
    history.events.filter((event) => event.what === what).map(({ at }) => milliseconds(at));
  // From the release by the private contender to the next grant.
  const waited = timesOf('granted').at(-1)! - timesOf('released').at(-2)!;
  expect(waited).toBeGreaterThan(100);
  expect(waited).toBeLessThan(1_100);
});

test('a writer of another library whose node is deleted does not go on as a reader', async () => {
  const { faults, ...rest } = scenario('_c_00000000-0000-4000-8000-000000000000-__WRIT__');
  // It begins to go on 100 ms after its grant, and creates a node for that.
  for (let at = 7_110; at < 7_130; at += 2) {
    const deletion = { at, fault: { kind: 'deleteContender', resource: 'orders' } } as const;
    const { history } = await runScenario({ ...rest, faults: [...faults, deletion] });
    expect(check(history).violations, `deleted at ${at} ms`).toEqual([]);
  }
});
