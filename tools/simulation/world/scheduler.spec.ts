import { expect, it } from 'vitest';
import { Random } from './random.js';
import { Scheduler } from './scheduler.js';

const never = (): boolean => false;
const nothing = (): void => {};

it('events are executed in the order of their times, and time moves with them', async () => {
  const scheduler = new Scheduler(new Random('order'));
  const seen: number[] = [];
  for (const at of [5, 1, 3.5, 2]) scheduler.schedule(at, () => seen.push(scheduler.now));
  await scheduler.run(never);
  expect(seen).toEqual([1, 2, 3.5, 5]);
  expect(scheduler.executed).toBe(4);
});

it('the seed decides the order of events for the same time', async () => {
  const orderOf = async (seed: string): Promise<string> => {
    const scheduler = new Scheduler(new Random(seed));
    const seen: number[] = [];
    for (let event = 0; event < 10; event++) scheduler.schedule(1, () => seen.push(event));
    await scheduler.run(never);
    return seen.join();
  };
  expect(await orderOf('a')).toBe(await orderOf('a'));
  expect(await orderOf('a')).not.toBe(await orderOf('b'));
});

it('a cancelled event is not executed, and one that was executed can be cancelled without effect', async () => {
  const scheduler = new Scheduler(new Random('cancel'));
  const seen: string[] = [];
  const first = scheduler.schedule(1, () => seen.push('first'));
  const second = scheduler.schedule(2, () => seen.push('second'));
  scheduler.schedule(1.5, () => {
    first.cancel();
    second.cancel();
    second.cancel();
  });
  await scheduler.run(never);
  expect(seen).toEqual(['first']);
});

it('an event for a time in the past is executed now', async () => {
  const scheduler = new Scheduler(new Random('past'));
  let seen: number | undefined;
  scheduler.schedule(10, () => scheduler.schedule(3, () => (seen = scheduler.now)));
  await scheduler.run(never);
  expect(seen).toBe(10);
  expect(() => scheduler.schedule(Number.NaN, nothing)).toThrow('An event needs a time: got NaN');
});

it('a run ends as soon as it is done, and the next one goes on from there', async () => {
  const scheduler = new Scheduler(new Random('done'));
  const seen: number[] = [];
  for (const at of [1, 2, 3]) scheduler.schedule(at, () => seen.push(at));
  await scheduler.run(() => seen.length === 2);
  expect(seen).toEqual([1, 2]);
  await scheduler.run(never);
  expect(seen).toEqual([1, 2, 3]);
});

it('what an event throws rejects the run', async () => {
  const scheduler = new Scheduler(new Random('throw'));
  scheduler.schedule(1, () => {
    throw new Error('broken event');
  });
  scheduler.schedule(2, () => expect.unreachable());
  await expect(scheduler.run(never)).rejects.toThrow('broken event');
});

it('after code of a host, all ticks and microtasks run before the next event, as after a callback of Node', async () => {
  const scheduler = new Scheduler(new Random('hop'));
  const seen: string[] = [];
  const deep = async (turns: number): Promise<void> => {
    for (let turn = 0; turn < turns; turn++) await Promise.resolve();
    process.nextTick(
      () => void Promise.resolve().then(() => seen.push('microtask of a tick of a microtask')),
    );
  };
  scheduler.schedule(1, () => {
    void Promise.resolve().then(() => seen.push('microtask'));
    process.nextTick(() => seen.push('tick'));
    void deep(50);
    scheduler.codeRan(() => seen.push('settled'));
  });
  scheduler.schedule(2, () => seen.push('next event'));
  await scheduler.run(never);
  expect(seen).toEqual(['tick', 'microtask', 'microtask of a tick of a microtask', 'settled', 'next event']);
});
