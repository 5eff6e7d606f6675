import { Injectable } from '@nestjs/common';
import { expect, test } from 'vitest';
import { LockLostError, LockService, Locked } from '../../lib/index.js';
import { EventRecorder } from '../fixtures/event-recorder.js';
import { Replica } from '../fixtures/replica.js';
import { startModule } from '../fixtures/start-module.js';
import { useZooKeeper } from '../fixtures/zookeeper-fixture.js';

const zooKeeper = useZooKeeper();

@Injectable()
class Exporter {
  readonly trace: string[] = [];

  @Locked('export')
  async *rows(count: number): AsyncGenerator<string, string, string | undefined> {
    try {
      for (let row = 1; row <= count; row++) this.#note(`sent ${yield this.#note(`row ${row}`)}`);
      return 'done';
    } catch (error) {
      this.#note(`caught ${String(error)}`);
      throw error;
    } finally {
      this.#note('cleaned up');
    }
  }

  @Locked('export', 3_000)
  async *briefly() {
    yield this.#note('first step');
    yield this.#note('second step');
  }

  /** Whether the lock was held at each point of the generator. */
  #note(what: string): string {
    this.trace.push(`${what}, ${LockService.current('export')?.isHeld() ? 'locked' : 'unlocked'}`);
    return what;
  }
}

async function start() {
  const options = zooKeeper.options();
  const replica = await Replica.open(options);
  const module = await startModule(options, { providers: [Exporter] });
  return { replica, exporter: module.get(Exporter), log: new EventRecorder(module.get(LockService)) };
}

test('the lock is held during all steps, and free after the generator has ended', async () => {
  const { exporter, replica, log } = await start();
  for await (const row of exporter.rows(2)) {
    expect(row).toMatch(/^row \d$/);
    expect(await replica.isFree('export')).toBe(false);
  }
  expect(await replica.isFree('export')).toBe(true);
  expect(log.types).toEqual(['acquired', 'released']);
  expect(exporter.trace).toEqual([
    'row 1, locked',
    'sent undefined, locked',
    'row 2, locked',
    'sent undefined, locked',
    'cleaned up, locked',
  ]);
});

test('nothing is locked before the first step', async () => {
  const { exporter, replica, log } = await start();
  const rows = exporter.rows(1);
  await rows.return('left');
  expect(log.types).toEqual([]);
  expect(await replica.isFree('export')).toBe(true);
});

test('the generator receives the values of next(), and its result is returned', async () => {
  const { exporter } = await start();
  const rows = exporter.rows(1);
  expect(await rows.next()).toEqual({ done: false, value: 'row 1' });
  expect(await rows.next('an answer')).toEqual({ done: true, value: 'done' });
  expect(exporter.trace).toContain('sent an answer, locked');
});

test('a break runs the cleanup under the lock and then frees it', async () => {
  const { exporter, replica } = await start();
  for await (const _row of exporter.rows(5)) break;
  expect(await replica.isFree('export')).toBe(true);
  expect(exporter.trace).toEqual(['row 1, locked', 'cleaned up, locked']);
});

test('an error thrown into the generator reaches it, and frees the lock', async () => {
  const { exporter, replica } = await start();
  const rows = exporter.rows(5);
  await rows.next();
  const failure = new Error('stop');
  await expect(rows.throw(failure)).rejects.toBe(failure);
  expect(await replica.isFree('export')).toBe(true);
  expect(exporter.trace.slice(1)).toEqual(['caught Error: stop, locked', 'cleaned up, locked']);
});

test('when the lock is lost between two steps, the second does not run', async () => {
  const { exporter, log } = await start();
  const steps = exporter.briefly();
  await steps.next();
  await log.told('ttlExpired');
  const outcome = steps.next();
  await expect(outcome).rejects.toBeInstanceOf(LockLostError);
  await expect(outcome).rejects.toMatchObject({ reason: 'ttl' });
  expect(exporter.trace).toEqual(['first step, locked']);
  expect(await steps.next()).toEqual({ done: true, value: undefined });
});
