import { expect, test } from 'vitest';
import { SimulatedProcess } from './simulated-process.js';
import { processPlan } from './spec-plans.js';
import { createWorld, type World } from './world.js';

/** What is recorded about the exit of a process that has done that before. */
async function exit(before: (process: SimulatedProcess, world: World) => void): Promise<string[]> {
  const plan = processPlan('p1', 4_000);
  const world = createWorld({
    seed: '1',
    ensemble: { size: 1, tickTime: 1_000, syncLimit: 4, rates: [1] },
    processes: [plan],
    resources: ['orders'],
    calls: [],
    faults: [],
    quietFrom: 1,
  });
  const process = new SimulatedProcess(plan, world);
  world.ensembles.of('s1').start('s1');
  process.start();
  before(process, world);
  process.close('closed');
  await world.scheduler.run(() => process.loop === undefined);
  return world.recorder.events.flatMap((event) => (event.what === 'unhandled' ? [event.detail] : []));
}

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
