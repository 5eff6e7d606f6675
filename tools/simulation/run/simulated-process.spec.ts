import { expect, test } from 'vitest';
import type { Scenario } from '../scenario/scenario.js';
import { runScenario } from './run-scenario.js';
import { SimulatedProcess } from './simulated-process.js';
import { lockPlan, processPlan } from './spec-plans.js';
import { createWorld, type World } from './world.js';

const PLAN = processPlan('p1', 4_000);
const SCENARIO: Scenario = {
  seed: '1',
  ensemble: { size: 1, tickTime: 1_000, syncLimit: 4, rates: [1] },
  processes: [PLAN],
  resources: ['orders'],
  calls: [],
  faults: [],
  quietFrom: 1,
};

/** What is recorded about the exit of a process that has done that before. */
async function exit(before: (process: SimulatedProcess, world: World) => void): Promise<string[]> {
  const world = createWorld(SCENARIO);
  const process = new SimulatedProcess(PLAN, world);
  world.ensembles.of('s1').start('s1');
  process.start();
  before(process, world);
  process.close('closed');
  await world.scheduler.run(() => process.loop === undefined);
  return world.recorder.events.flatMap((event) => (event.what === 'unhandled' ? [event.detail] : []));
}

test('a process that is to start while it closes starts when it has ended', async () => {
  const { history } = await runScenario({
    ...SCENARIO,
    // The hold keeps the service from closing for longer than the fault lasts.
    processes: [{ ...PLAN, drainTimeout: 3_000 }],
    calls: [
      { at: 2_000, process: 'p1', plan: { ...lockPlan('orders', 2_000), heedsSignal: false } },
      // Both when it still closes: the first one during the faults, the second one to show that everything works again.
      { at: 3_100, process: 'p1', plan: lockPlan('orders', 100) },
      { at: 3_300, process: 'p1', plan: lockPlan('orders', 100) },
    ],
    faults: [{ at: 3_000, fault: { kind: 'close', host: 'p1', ms: 10 } }],
    quietFrom: 3_200,
  });
  const [first, second] = history.incarnations;
  expect([first?.end, second?.end]).toEqual(['shutDown', 'closed']);
  expect(first!.to - first!.closingSince!).toBeGreaterThan(500_000_000n);
  expect(second!.from).toBe(first!.to);
  const granted = history.events.filter(({ what }) => what === 'granted');
  expect(granted.map(({ actor }) => actor)).toEqual(['p1.1', 'p1.2']);
});

test('nothing keeps a process alive that has closed', async () => {
  expect(await exit(() => {})).toEqual([]);
});

test('a timer that keeps a process alive is recorded', async () => {
  const details = await exit(({ loop }) => loop!.clock.setTimer(() => {}, 60_000));
  expect(details).toEqual(['a timer was left at the exit']);
});

test('a socket that keeps a process alive is recorded', async () => {
  const to = { address: '10.1.0.1', port: 2181 };
  const details = await exit(({ loop }, { network }) => network.connector(loop!)(to, () => {}));
  expect(details).toEqual(['a socket was left at the exit']);
});

test('an eager process that finds no server ends, leaves nothing, and is started until it finds one', async () => {
  const { history } = await runScenario({
    ...SCENARIO,
    processes: [{ ...PLAN, connectTimeout: 2_000, eager: true }],
    calls: [{ at: 6_000, process: 'p1', plan: lockPlan('orders', 100) }],
    faults: [{ at: 0, fault: { kind: 'kill', host: 's1', ms: 5_500 } }],
    quietFrom: 5_500,
  });
  const ends = history.incarnations.map(({ end }) => end);
  expect(ends).toEqual(['shutDown', 'shutDown', 'closed']);
  expect(history.events.filter(({ what }) => what === 'unhandled')).toEqual([]);
  const granted = history.events.filter(({ what }) => what === 'granted');
  expect(granted.map(({ actor }) => actor)).toEqual(['p1.3']);
});
