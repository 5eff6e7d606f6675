import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  LockBusyError,
  LockFairnessError,
  LockTimeoutError,
  type HeldLock,
  type LockEvent,
  type LockOptions,
  type LockService,
} from '../../lib/index.js';
import { EventRecorder } from '../fixtures/event-recorder.js';
import { useLockReplicas } from '../fixtures/lock-replicas.js';
import { LONG_WAIT_MS } from '../fixtures/wait-clock.js';
import { eventually } from '../support/eventually.js';
import { ifThere } from '../support/if-there.js';
import { checkHistory } from '../support/lock-history.js';
import { LockProcess } from '../support/lock-process.js';
import { RawSession } from '../support/raw-session.js';
import { startTestServer, type TestServer } from '../support/test-server.js';

const SIMPLE = { fair: false } as const;

interface Waiting {
  readonly lock: Promise<HeldLock>;
  readonly event: Extract<LockEvent, { type: 'waiting' }>;
  isGranted: boolean;
}

/** Calls `lock`, and resolves when the call waits. */
async function waiting(locks: LockService, options: LockOptions = {}): Promise<Waiting> {
  const events: LockEvent[] = [];
  const subscription = locks.events$.subscribe((event) => events.push(event));
  const lock = locks.lock('app', { ...SIMPLE, ...options });
  lock.catch(() => {});
  const event = await eventually(() => events.find(({ type }) => type === 'waiting') ?? false);
  subscription.unsubscribe();
  const asked: Waiting = { lock, event: event as Waiting['event'], isGranted: false };
  void lock.then(
    () => (asked.isGranted = true),
    () => {},
  );
  return asked;
}

describe('a lock without a queue', () => {
  const { replica, timedReplica, contenders, queued } = useLockReplicas();

  it('has one holder, and the next one has it after the release, with a larger token', async () => {
    const [here, there] = [await replica(), await replica()];
    const first = await here.lock('app', SIMPLE);
    const next = await waiting(there);
    expect(next.event).toMatchObject({ resource: 'app', ahead: 1, requeued: false });
    expect([first.isHeld(), next.isGranted]).toEqual([true, false]);
    expect(await first.release()).toBe(true);
    const second = await next.lock;
    expect([first.isHeld(), second.isHeld()]).toEqual([false, true]);
    expect(second.fencingToken).toBeGreaterThan(first.fencingToken);
    expect(await second.release()).toBe(true);
  });

  it('is one node in the place of the lock path, which inspect shows as the holder', async () => {
    const [here, there] = [await replica({ owner: 'web-1' }), await replica()];
    const held = await here.lock('app', { ...SIMPLE, purpose: 'report' });
    await waiting(there, { wait: 5_000, purpose: 'mail' });
    expect(await contenders('app')).toEqual([]);
    const { fencingToken } = held;
    const holder = { owner: { owner: 'web-1', purpose: 'report' }, fencingToken, mode: 'exclusive' };
    const snapshot = await there.inspect('app');
    expect(snapshot).toMatchObject({ resource: 'app', holder, holders: [holder] });
    expect(snapshot.waiters).toMatchObject([{ owner: { purpose: 'mail' } }]);
    // Only its own process knows of a waiter.
    expect((await here.inspect('app')).waiters).toEqual([]);
    expect(snapshot.holder?.owner).not.toHaveProperty('attempt');
    await held.release();
  });

  it('goes to callers of one process as to those of others: one after the other', async () => {
    const locks = await replica();
    let holders = 0;
    let most = 0;
    const work = async (): Promise<void> => {
      most = Math.max(most, (holders += 1));
      await new Promise(setImmediate);
      holders -= 1;
    };
    await Promise.all(Array.from({ length: 20 }, () => locks.withLock('app', SIMPLE, work)));
    expect(most).toBe(1);
  });

  it('is busy for an attempt that does not wait, which names the holder', async () => {
    const [here, there] = [await replica({ owner: 'web-1' }), await replica()];
    const held = await here.lock('app', SIMPLE);
    expect(await there.tryLock('app', SIMPLE)).toBeNull();
    await expect(there.lock('app', { ...SIMPLE, wait: 0 })).rejects.toThrow(LockBusyError);
    await expect(there.lock('app', { ...SIMPLE, wait: 0 })).rejects.toThrow('held by web-1');
    await held.release();
    expect((await there.tryLock('app', SIMPLE))?.isHeld()).toBe(true);
  });

  it('a waiter that times out names the holder, and does not get the lock later', async () => {
    const [here, { locks: there, clock }] = [await replica({ owner: 'web-1' }), await timedReplica()];
    const held = await here.lock('app', SIMPLE);
    const log = new EventRecorder(there);
    const late = there.lock('app', { ...SIMPLE, wait: LONG_WAIT_MS });
    await log.told('waiting');
    clock.endWaits();
    await expect(late).rejects.toThrow(LockTimeoutError);
    await expect(late).rejects.toThrow('web-1');
    await held.release();
    expect((await there.tryLock('app', SIMPLE))?.isHeld()).toBe(true);
  });

  it('a waiter that is aborted leaves the others waiting', async () => {
    const [here, there] = [await replica(), await replica()];
    const held = await here.lock('app', SIMPLE);
    const abort = new AbortController();
    const leaving = await waiting(there, { signal: abort.signal });
    const staying = await waiting(there);
    const reason = new Error('changed my mind');
    abort.abort(reason);
    await expect(leaving.lock).rejects.toBe(reason);
    expect(staying.isGranted).toBe(false);
    await held.release();
    expect((await staying.lock).isHeld()).toBe(true);
  });

  it('is released after its ttl, and stays taken for its minHold', async () => {
    const [here, there] = [await replica(), await replica()];
    const short = await here.lock('app', { ...SIMPLE, ttl: 200 });
    // On a slow machine, the ttl has passed before this call reaches the server.
    const held = await there.lock('app', { ...SIMPLE, minHold: 300 });
    expect(short.isHeld()).toBe(false);
    expect(short.signal.reason).toMatchObject({ reason: 'ttl' });
    const { acquiredAt } = held;
    expect(await held.release()).toBe(true);
    const last = await here.lock('app', SIMPLE);
    // The clock of the wall counts whole milliseconds.
    expect(last.acquiredAt.getTime() - acquiredAt.getTime()).toBeGreaterThanOrEqual(299);
  });

  it('nests, and is acquired together with others', async () => {
    const [here, there] = [await replica(), await replica()];
    await here.withLock('app', SIMPLE, async () => {
      const inner = await here.lock('app', { ...SIMPLE, reentrant: true });
      expect(inner.isHeld()).toBe(true);
      await inner.release();
      expect(await there.tryLock('app', SIMPLE)).toBeNull();
    });
    const both = await here.lock(['app', 'other'], SIMPLE);
    expect(await there.tryLock(['other', 'more'], SIMPLE)).toBeNull();
    expect(await both.release()).toBe(true);
    expect((await there.tryLock(['other', 'more', 'app'], SIMPLE))?.isHeld()).toBe(true);
  });

  describe('and a queue for the same name', () => {
    it('do not take each other for a rival to wait for: both say what is wrong', async () => {
      const [here, there] = [await replica(), await replica()];
      const simple = await here.lock('app', SIMPLE);
      for (const options of [{}, { mode: 'read' }, { permits: 2 }] as const) {
        const refused = there.lock('app', options);
        await expect(refused).rejects.toThrow(LockFairnessError);
        await expect(refused).rejects.toMatchObject({ code: 'LOCK_FAIRNESS', fair: false, resource: 'app' });
      }
      await expect(there.tryLock('app')).rejects.toThrow('with fair: true: it is in use with fair: false');
      expect(simple.isHeld()).toBe(true);
      expect(await simple.release()).toBe(true);

      const fair = await there.lock('app');
      const refused = here.lock('app', SIMPLE);
      await expect(refused).rejects.toThrow(LockFairnessError);
      await expect(refused).rejects.toMatchObject({ fair: true });
      await expect(here.tryLock('app', SIMPLE)).rejects.toThrow('it is in use with fair: true');
      expect(await there.inspect('app')).toMatchObject({ holders: [{}], waiters: [] });
      expect(await fair.release()).toBe(true);
    });

    it('may follow each other when nobody uses the lock', async () => {
      const [here, there] = [await replica(), await replica()];
      for (let round = 0; round < 3; round += 1) {
        const fair = await here.lock('app');
        const permit = await queued(there, 'app', {});
        await fair.release();
        await (await permit.lock).release();
        const simple = await there.lock('app', SIMPLE);
        expect(simple.fencingToken).toBeGreaterThan(fair.fencingToken);
        await simple.release();
        await (await here.lock('app', { permits: 2 + round })).release();
      }
    });

    it('never have a holder each, whoever is first', async () => {
      const replicas = await Promise.all([replica(), replica(), replica(), replica()]);
      let holders = 0;
      let most = 0;
      let grants = 0;
      const work = async (): Promise<void> => {
        most = Math.max(most, (holders += 1));
        grants += 1;
        await new Promise(setImmediate);
        holders -= 1;
      };
      for (let round = 0; round < 40; round += 1) {
        const outcomes = await Promise.allSettled(
          replicas.map((locks, index) => locks.withLock('app', { fair: index % 2 === 0 }, work)),
        );
        for (const outcome of outcomes)
          if (outcome.status === 'rejected') expect(outcome.reason).toBeInstanceOf(LockFairnessError);
      }
      expect(most).toBe(1);
      expect(grants).toBeGreaterThanOrEqual(40);
    });
  });
});

describe('processes that want two locks without a queue', { timeout: 180_000 }, () => {
  const REAP_INTERVAL_MS = 1_000;
  const RESOURCES = ['order:1', 'order:2'];
  let server: TestServer;

  beforeAll(async () => {
    server = await startTestServer({ containerCheckIntervalMs: REAP_INTERVAL_MS });
  });
  afterAll(async () => server.giveBack());

  it('never hold one at the same time, get growing tokens, and leave nothing behind', async () => {
    const options = { connectString: server.connectString, root: '/simple' };
    const processes = await Promise.all([1, 2, 3].map(() => LockProcess.start(options)));
    try {
      const loop = { resources: RESOURCES, acquisitions: 100, holdMs: 3, lockOptions: SIMPLE };
      await Promise.all(processes.map((process) => process.call({ type: 'loop', loop })));
      const { holds, violations } = checkHistory(processes.flatMap((process) => process.history));
      expect(violations).toEqual([]);
      expect(holds).toHaveLength(300);

      await using observer = await RawSession.connect(server);
      expect((await ifThere(observer.getChildren('/simple'))) ?? []).toEqual([]);
      await eventually(async () => (await observer.exists('/simple')) === null, {
        timeoutMs: 20 * REAP_INTERVAL_MS,
        describe: 'the root to be reaped',
      });
    } finally {
      await Promise.all(processes.map((process) => process.close()));
    }
  });
});
