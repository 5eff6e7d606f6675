import { Controller, Get } from '@nestjs/common';
import { expect, test } from 'vitest';
import { LockLostError, LockModule, LockService, Locked, type LockModuleOptions } from '../../lib/index.js';
import { EventRecorder } from '../fixtures/event-recorder.js';
import { Latch } from '../fixtures/latch.js';
import { Replica } from '../fixtures/replica.js';
import { TestApp } from '../fixtures/test-app.js';
import { useZooKeeper } from '../fixtures/zookeeper-fixture.js';

const zooKeeper = useZooKeeper();

/** Longer than every wait of this file, so a session ends only if it is closed, on a slow server after the shutdown. */
const UNENDING_MS = 40_000;

class Work {
  readonly begun = new Latch();
  readonly finish = new Latch();
  readonly otherBegun = new Latch();
  readonly otherFinish = new Latch();
  signal: AbortSignal | undefined;
}

@Controller()
class Orders {
  constructor(private readonly work: Work) {}

  @Get('pay')
  @Locked('order')
  async pay() {
    this.work.signal = LockService.current()?.signal;
    this.work.begun.open();
    await this.work.finish.opened;
  }

  /** Keeps the server, and with it the session, open. */
  @Get('unlocked')
  async unlocked() {
    this.work.otherBegun.open();
    await this.work.otherFinish.opened;
  }
}

async function start(overrides: LockModuleOptions) {
  const options = zooKeeper.options(overrides);
  const replica = await Replica.open(options);
  const app = await TestApp.start({
    imports: [LockModule.forRoot(options)],
    controllers: [Orders],
    providers: [Work],
  });
  const locks = app.get(LockService);
  return { app, replica, locks, work: app.get(Work), log: new EventRecorder(locks) };
}

test('when drainTimeout passes the signal aborts, and the lock stays until the work has settled', async () => {
  const { app, replica, work, log } = await start({ drainTimeout: 100 });
  const paying = app.fetch('/pay');
  const other = app.fetch('/unlocked');
  await Promise.all([work.begun.opened, work.otherBegun.opened]);
  const closed = app.close();

  const response = await paying;
  expect(response.status).toBe(500);
  expect(await response.json()).toMatchObject({ code: 'LOCK_LOST' });
  expect(work.signal?.aborted).toBe(true);
  expect(work.signal?.reason).toBeInstanceOf(LockLostError);
  expect(work.signal?.reason).toMatchObject({ reason: 'shutdown' });
  expect(log.types).toEqual(['acquired', 'lost']);
  expect(log.ofType('lost')).toMatchObject([{ resource: 'order', reason: 'shutdown' }]);
  expect(await replica.isFree('order')).toBe(false);

  work.finish.open();
  await replica.becomesFree('order');
  expect(log.types).toEqual(['acquired', 'lost']);
  work.otherFinish.open();
  await closed;
  expect((await other).status).toBe(200);
  expect(log.types).toEqual(['acquired', 'lost', 'closed']);
  expect(log.completed).toBe(true);
});

test('work that never settles loses its lock when the session ends', async () => {
  const { app, replica, work, log } = await start({ drainTimeout: 100, sessionTimeout: UNENDING_MS });
  const paying = app.fetch('/pay');
  await work.begun.opened;
  await app.close();
  expect((await paying).status).toBe(500);
  await replica.becomesFree('order');
  expect(log.types).toEqual(['acquired', 'lost', 'closed']);
});

test('withLock rejects when drainTimeout passes, and a later error of the work emits an event', async () => {
  const { app, locks, log } = await start({ drainTimeout: 100 });
  const fail = new Latch();
  const lateError = new Error('too late');
  const working = locks.withLock('order', () => fail.opened.then(() => Promise.reject(lateError)));
  await log.told('acquired');
  const server = app.fetch('/unlocked');
  await app.get(Work).otherBegun.opened;
  const closed = app.close();
  await expect(working).rejects.toMatchObject({ code: 'LOCK_LOST', reason: 'shutdown' });
  fail.open();
  expect(await log.told('workRejected')).toMatchObject({ resource: 'order', error: lateError });
  app.get(Work).otherFinish.open();
  await Promise.all([server, closed]);
});

test('a lock acquired with lock() is lost when drainTimeout passes, and its release returns false', async () => {
  const { app, locks, log } = await start({ drainTimeout: 100 });
  const held = await locks.lock('order');
  await app.close();
  expect(held.isHeld()).toBe(false);
  expect(await held.release()).toBe(false);
  expect(log.types).toEqual(['acquired', 'lost', 'closed']);
});

test('the shutdown waits for the rest of minHold', async () => {
  const { app, locks, log } = await start({});
  expect(await locks.withLock('order', { minHold: 500 }, () => 'done')).toBe('done');
  await app.close();
  expect(log.types).toEqual(['acquired', 'released', 'closed']);
  expect(log.ofType('released')[0]!.heldMs).toBeGreaterThanOrEqual(500);
});

test('a minHold longer than drainTimeout ends with the session', async () => {
  const { app, locks, replica, log } = await start({ drainTimeout: 100, sessionTimeout: UNENDING_MS });
  await locks.withLock('order', { minHold: 60_000 }, () => 'done');
  await app.close();
  expect(log.types).toEqual(['acquired', 'released', 'closed']);
  await replica.becomesFree('order');
});
