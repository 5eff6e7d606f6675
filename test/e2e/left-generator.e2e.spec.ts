import { Injectable } from '@nestjs/common';
import { Subject, firstValueFrom, from } from 'rxjs';
import { describe, expect, test } from 'vitest';
import { LockService, Locked } from '../../lib/index.js';
import { EventRecorder } from '../fixtures/event-recorder.js';
import { Replica } from '../fixtures/replica.js';
import { startModule } from '../fixtures/start-module.js';
import { useZooKeeper } from '../fixtures/zookeeper-fixture.js';

const zooKeeper = useZooKeeper();

type Rows = AsyncGenerator<number, string, unknown>;

@Injectable()
class Exporter {
  readonly prepared$ = new Subject<void>();
  steps = 0;

  @Locked('export')
  async *rows(): Rows {
    this.steps += 1;
    yield this.steps;
    return 'done';
  }

  /** Its return type is unknown before the call. */
  @Locked('export')
  delegated() {
    return this.#rows();
  }

  /** The same, for a Promise of a generator. */
  @Locked('export')
  prepared() {
    return firstValueFrom(this.prepared$).then(() => this.#rows());
  }

  async *#rows(): Rows {
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

/** The call has left the queue behind `held`, and its first step never runs. */
async function expectLeft(
  rows: Rows,
  held: { release(): Promise<unknown> },
  { exporter, replica, log }: Awaited<ReturnType<typeof start>>,
): Promise<void> {
  await replica.hasWaiters('export', 0);
  await log.told('aborted');
  await held.release();
  await replica.becomesFree('export');
  expect(await rows.next()).toEqual({ done: true, value: undefined });
  expect(exporter.steps).toBe(0);
  expect(log.types).toEqual(['waiting', 'aborted']);
}

test.each(['rows', 'delegated'] as const)(
  'a generator that is abandoned while it waits leaves the queue, and its first step never runs (%s)',
  async (method) => {
    const setup = await start();
    const { exporter, replica, log } = setup;
    const held = await replica.hold('export');
    const rows = exporter[method]();
    const first = rows.next();
    await log.told('waiting');

    // Another service still holds the lock: this does not wait for it.
    expect(await rows.return('left')).toEqual({ done: true, value: 'left' });
    expect(await first).toEqual({ done: true, value: undefined });
    await expectLeft(rows, held, setup);
  },
);

const failure = new Error('stop');

/** The ways to leave a generator. */
const LEAVE = {
  return: async (rows: Rows) => expect(await rows.return('left')).toEqual({ done: true, value: 'left' }),
  throw: async (rows: Rows) => expect(rows.throw(failure)).rejects.toBe(failure),
  dispose: async (rows: Rows) => rows[Symbol.asyncDispose](),
};

describe.each(Object.entries(LEAVE))('a generator that is left before its first step (%s)', (_, leave) => {
  test('leaves the queue that its call has entered', async () => {
    const setup = await start();
    const { exporter, replica, log } = setup;
    const held = await replica.hold('export');
    const rows = exporter.delegated();
    await log.told('waiting');
    await leave(rows);
    await expectLeft(rows, held, setup);
  });

  test('frees the lock that its call has acquired', async () => {
    const { exporter, replica, log } = await start();
    const rows = exporter.delegated();
    await log.told('acquired');
    await leave(rows);
    await replica.becomesFree('export');
    expect(await rows.next()).toEqual({ done: true, value: undefined });
    expect(exporter.steps).toBe(0);
    expect(log.types).toEqual(['acquired', 'released']);
  });

  test('has ended for those who await it', async () => {
    const { exporter, replica } = await start();
    const rows = exporter.delegated();
    await leave(rows);
    const awaited = await (rows as unknown as Promise<Rows>);
    expect(await awaited.next()).toEqual({ done: true, value: undefined });
    await replica.becomesFree('export');
    expect(exporter.steps).toBe(0);
  });
});

test('a generator whose subscriber left while its method ran frees the lock', async () => {
  const { exporter, replica, log } = await start();
  const subscription = from(exporter.prepared()).subscribe();
  await log.told('acquired');
  subscription.unsubscribe();
  exporter.prepared$.next();
  await replica.becomesFree('export');
  expect(exporter.steps).toBe(0);
  expect(log.types).toEqual(['acquired', 'released']);
});

test('a generator that was left before its first step runs under another lock for a later subscriber', async () => {
  const { exporter, replica, log } = await start();
  const rows = exporter.delegated();
  await log.told('acquired');
  await rows.return('left');
  const later = await firstValueFrom(from(rows as unknown as Promise<Rows>));
  expect(await later.next()).toEqual({ done: false, value: 1 });
  expect(await replica.isFree('export')).toBe(false);
  await later.return('left');
  await log.told('released', 2);
  expect(log.ofType('acquired')).toHaveLength(2);
});

test('an error thrown into a waiting generator ends it', async () => {
  const { exporter, replica, log } = await start();
  await replica.hold('export');
  const rows = exporter.rows();
  const steps = [rows.next(), rows.next()];
  await log.told('waiting');
  await expect(rows.throw(failure)).rejects.toBe(failure);
  expect(await Promise.all(steps)).toEqual([
    { done: true, value: undefined },
    { done: true, value: undefined },
  ]);
  await replica.hasWaiters('export', 0);
  expect(exporter.steps).toBe(0);
});
