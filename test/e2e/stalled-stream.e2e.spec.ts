import { Injectable } from '@nestjs/common';
import { Observable, Subject, defer } from 'rxjs';
import { expect, test } from 'vitest';
import { LockLostError, LockService, Locked } from '../../lib/index.js';
import { LockProcess } from '../support/lock-process.js';
import { serverBlocksWithUs } from '../support/test-server.js';
import { block } from '../support/block.js';
import { endedWithTest } from '../fixtures/ended-with-test.js';
import { EventRecorder } from '../fixtures/event-recorder.js';
import { startModule } from '../fixtures/start-module.js';
import { useZooKeeper } from '../fixtures/zookeeper-fixture.js';

const zooKeeper = useZooKeeper();

const SESSION_TIMEOUT_MS = 2_000;
/** Longer than the session survives. */
const STALL_MS = 4_500;

@Injectable()
class Exporter {
  readonly trace: string[] = [];
  readonly source$ = new Subject<number>();

  @Locked('export')
  async *rows() {
    for (let row = 1; row <= 3; row++) {
      this.trace.push(`row ${row}`);
      yield row;
    }
  }

  @Locked('export')
  async promised(): Promise<Observable<number>> {
    return defer(() => {
      this.trace.push('subscribed');
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
  return { exporter: module.get(Exporter), log: new EventRecorder(module.get(LockService)), options };
}

test('after a stall of the event loop no step of a generator runs while a rival holds the lock (H41, H63)', async () => {
  const { exporter, options } = await start();
  const rival = endedWithTest(await LockProcess.start({ ...options }));
  const rows = exporter.rows();
  await rows.next();
  const granted = rival.lock('rival', 'export');
  await rival.queueLength('export', 2);

  block(STALL_MS);
  const steppedAt = process.hrtime.bigint();
  const [second, third] = [rows.next(), rows.next()];

  await expect(second).rejects.toBeInstanceOf(LockLostError);
  await expect(second).rejects.toMatchObject({ reason: 'session' });
  expect(await third).toEqual({ done: true, value: undefined });
  expect(exporter.trace).toEqual(['row 1']);
  await granted;
  const { at } = await rival.told('acquired');
  if (!serverBlocksWithUs()) expect(at).toBeLessThan(steppedAt);
});

test('after a stall of the event loop nothing subscribes to a promised Observable (H41, H63)', async () => {
  const { exporter } = await start();
  const feed$ = await exporter.promised();
  block(STALL_MS);
  const failed = new Promise((resolve) => {
    feed$.subscribe({ error: resolve });
  });
  expect(exporter.trace).toEqual([]);
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
