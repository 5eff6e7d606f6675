import { Injectable } from '@nestjs/common';
import { expect, test } from 'vitest';
import { LockService, Locked } from '../../lib/index.js';
import { EventRecorder } from '../fixtures/event-recorder.js';
import { Replica } from '../fixtures/replica.js';
import { startModule } from '../fixtures/start-module.js';
import { useZooKeeper } from '../fixtures/zookeeper-fixture.js';

const zooKeeper = useZooKeeper();

@Injectable()
class Exporter {
  steps = 0;

  @Locked('export')
  async *rows(): AsyncGenerator<number, string, unknown> {
    this.steps += 1;
    yield this.steps;
    return 'done';
  }

  /** Its return type is unknown before the call. */
  @Locked('export')
  delegated() {
    return this.#rows();
  }

  async *#rows(): AsyncGenerator<number, string, unknown> {
    this.steps += 1;
    yield this.steps;
    return 'done';
  }
}

async function start() {
  const options = zooKeeper.options();
  const replica = await Replica.open(options);
  const module = await startModule(options, { providers: [Exporter] });
  return { replica, exporter: module.get(Exporter), log: new EventRecorder(module.get(LockService)) };
}

test.each(['rows', 'delegated'] as const)(
  'a generator that is abandoned while it waits leaves the queue, and its first step never runs (%s)',
  async (method) => {
    const { exporter, replica, log } = await start();
    const held = await replica.hold('export');
    const rows = exporter[method]();
    const first = rows.next();
    await log.told('waiting');

    // Another service still holds the lock: this does not wait for it.
    expect(await rows.return('left')).toEqual({ done: true, value: 'left' });
    expect(await first).toEqual({ done: true, value: undefined });
    await replica.hasWaiters('export', 0);
    await log.told('aborted');
    await held.release();
    await replica.becomesFree('export');
    expect(await rows.next()).toEqual({ done: true, value: undefined });
    expect(exporter.steps).toBe(0);
    expect(log.types).toEqual(['waiting', 'aborted']);
  },
);

test('an error thrown into a waiting generator ends it', async () => {
  const { exporter, replica, log } = await start();
  await replica.hold('export');
  const rows = exporter.rows();
  const steps = [rows.next(), rows.next()];
  await log.told('waiting');
  const failure = new Error('stop');
  await expect(rows.throw(failure)).rejects.toBe(failure);
  expect(await Promise.all(steps)).toEqual([
    { done: true, value: undefined },
    { done: true, value: undefined },
  ]);
  await replica.hasWaiters('export', 0);
  expect(exporter.steps).toBe(0);
});
