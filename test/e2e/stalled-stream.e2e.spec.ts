import { Injectable } from '@nestjs/common';
import { Observable, Subject, defer } from 'rxjs';
import { expect, test } from 'vitest';
import { LockLostError, LockService, Locked } from '../../lib/index.js';
import { block } from '../fixtures/block.js';
import { EventLog } from '../fixtures/event-log.js';
import { Replica } from '../fixtures/replica.js';
import { startModule } from '../fixtures/start-module.js';
import { useZooKeeper } from '../fixtures/zookeeper-fixture.js';

const zooKeeper = useZooKeeper();

const SESSION_TIMEOUT_MS = 2_000;
/** More than any session survives. */
const STALL_MS = 4_500;

@Injectable()
class Exporter {
  readonly diary: string[] = [];
  readonly source$ = new Subject<number>();

  @Locked('export')
  async *rows() {
    for (let row = 1; row <= 3; row++) {
      this.diary.push(`row ${row}`);
      yield row;
    }
  }

  @Locked('export')
  async promised(): Promise<Observable<number>> {
    return defer(() => {
      this.diary.push('subscribed');
      return this.source$;
    });
  }

  @Locked('export')
  watch(): Observable<number> {
    return this.source$;
  }
}

async function start() {
  const options = zooKeeper.options({ sessionTimeout: SESSION_TIMEOUT_MS });
  const module = await startModule(options, { providers: [Exporter] });
  const exporter = module.get(Exporter);
  return {
    exporter,
    log: new EventLog(module.get(LockService)),
    /** Waits behind the stalled holder. */
    rival: async () => {
      const replica = await Replica.open(options);
      const granted = replica.hold('export').then(() => exporter.diary.push('rival'));
      await replica.hasWaiters('export', 1);
      return { granted };
    },
  };
}

test('after a stall of the event loop no further step of a generator runs (H41, H63)', async () => {
  const { exporter, rival } = await start();
  const rows = exporter.rows();
  await rows.next();
  const { granted } = await rival();
  block(STALL_MS);
  const [second, third] = [rows.next(), rows.next()];
  await expect(second).rejects.toBeInstanceOf(LockLostError);
  await expect(second).rejects.toMatchObject({ reason: 'session' });
  expect(await third).toEqual({ done: true, value: undefined });
  await granted;
  expect(exporter.diary).toEqual(['row 1', 'rival']);
});

test('after a stall of the event loop nothing subscribes to a promised Observable (H41, H63)', async () => {
  const { exporter } = await start();
  const feed$ = await exporter.promised();
  block(STALL_MS);
  const failed = new Promise((resolve) => {
    feed$.subscribe({ error: resolve });
  });
  expect(exporter.diary).toEqual([]);
  expect(await failed).toBeInstanceOf(LockLostError);
});

test('a value that a source emits after a stall of the event loop is not passed on (H41, H63)', async () => {
  const { exporter, log } = await start();
  const seen: number[] = [];
  const failed = new Promise((resolve) => {
    exporter.watch().subscribe({ next: (value) => seen.push(value), error: resolve });
  });
  await log.told('acquired');
  exporter.source$.next(1);
  block(STALL_MS);
  exporter.source$.next(2);
  expect(seen).toEqual([1]);
  expect(exporter.source$.observed).toBe(false);
  expect(await failed).toBeInstanceOf(LockLostError);
});
