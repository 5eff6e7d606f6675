import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { LockBusyError, LockTimeoutError } from '../../lib/index.js';
import { eventually } from '../support/eventually.js';
import { startTestServer, type TestServer } from '../support/test-server.js';
import { ProxiedLocks } from './proxied-locks.js';

describe('maxWaiters', () => {
  let server: TestServer;

  beforeAll(async () => {
    server = await startTestServer();
  });

  afterAll(async () => server.giveBack());

  /** A holder and a number of waiters of another process; they end with the test. */
  async function queueOf(setup: ProxiedLocks, waiters: number) {
    const holder = await setup.others.lock('order');
    for (let waiting = 0; waiting < waiters; waiting += 1) waits(setup.others.lock('order'));
    await eventually(async () => (await setup.contenders('order')).length === waiters + 1);
    return holder;
  }

  /** A waiter whose outcome is ignored. */
  function waits(waiter: Promise<unknown>): void {
    waiter.catch(() => {});
  }

  it('rejects an acquisition at once if that many are waiting in any process, and leaves no contender', async () => {
    await using setup = await ProxiedLocks.start(server);
    await queueOf(setup, 3);

    const refused: unknown = await setup.locks
      .lock('order', { maxWaiters: 3 })
      .catch((error: unknown) => error);

    expect(refused).toBeInstanceOf(LockBusyError);
    expect(refused).toMatchObject({
      message:
        "Lock 'order' is busy, and its queue is full: it has 3 waiters. Try again later, raise `maxWaiters`, or " +
        "skip the work: with tryLock(), or `onBusy: 'skip'` of @Locked.",
      waiters: 3,
      retryAfterMs: 1_000,
    });
    expect(setup.events.map(({ type }) => type)).toEqual(['busy']);
    await eventually(async () => (await setup.contenders('order')).length === 4);
  });

  it('lets an acquisition wait if fewer are waiting', async () => {
    await using setup = await ProxiedLocks.start(server);
    await queueOf(setup, 2);

    waits(setup.locks.lock('order', { maxWaiters: 3 }));

    await eventually(() => setup.count('waiting') === 1);
  });

  it('of 0 does not permit waiting', async () => {
    await using setup = await ProxiedLocks.start(server);
    const holder = await queueOf(setup, 0);

    await expect(setup.locks.lock('order', { maxWaiters: 0 })).rejects.toThrow(LockBusyError);
    await holder.release();

    expect((await setup.locks.lock('order', { maxWaiters: 0 })).isHeld()).toBe(true);
  });

  it('makes tryLock return null if the queue is full', async () => {
    await using setup = await ProxiedLocks.start(server);
    await queueOf(setup, 1);

    expect(await setup.locks.tryLock('order', { wait: 30_000, maxWaiters: 1 })).toBeNull();
  });

  it('has a default in the module options, which a call can override', async () => {
    await using setup = await ProxiedLocks.start(server, { defaults: { maxWaiters: 0 } });
    await setup.others.lock('order');

    await expect(setup.locks.lock('order')).rejects.toThrow(LockBusyError);
    const patient = new AbortController();
    const queued = setup.locks.lock('order', { maxWaiters: 1, signal: patient.signal });
    await eventually(() => setup.count('waiting') === 1);
    patient.abort();
    await expect(queued).rejects.toBe(patient.signal.reason);
  });

  it('sends no extra request while the lock is free', async () => {
    await using setup = await ProxiedLocks.start(server);
    // The first lock creates the lock path.
    await (await setup.locks.lock('order')).release();
    const before = counts();

    await (await setup.locks.lock('order', { maxWaiters: 1 })).release();

    expect(counts().map((count, i) => count - before[i]!)).toEqual([1, 1, 1, 0, 0, 0]);

    function counts(): number[] {
      const requests = ['create2', 'getChildren2', 'delete', 'setWatches', 'getData', 'exists'] as const;
      return requests.map((request) => setup.proxy.count(request));
    }
  });

  it.each([
    ['have left', 3, 0],
    ['have come', 1, 4],
  ])(
    'counts the waiters of now behind a holder of its process, after others %s',
    async (_what, first, later) => {
      await using setup = await ProxiedLocks.start(server);
      await setup.locks.lock('order');
      const leaving = new AbortController();
      const queue = async (count: number): Promise<void> => {
        const before = (await setup.contenders('order')).length;
        for (let one = 0; one < count; one += 1)
          waits(setup.others.lock('order', { signal: leaving.signal }));
        await setup.hasContenders('order', before + count);
      };
      await queue(first);
      // Its process learns how many others there are.
      const passing = new AbortController();
      waits(setup.locks.lock('order', { signal: passing.signal }));
      await eventually(() => setup.count('waiting') === 1);
      passing.abort();
      if (later === 0) leaving.abort();
      await setup.hasContenders('order', 1 + (later === 0 ? 0 : first));
      await queue(later);
      // A process sees no change of the queue before the notification of it.
      const waiting = later === 0 ? 0 : first + later;
      await eventually(async () => (await setup.locks.inspect('order')).waiters.length === waiting);

      const asked = setup.locks.lock('order', { maxWaiters: 3 });

      if (later > 0) await expect(asked).rejects.toMatchObject({ name: 'LockBusyError', waiters: 5 });
      else waits(asked);
      await eventually(() => setup.count(later > 0 ? 'busy' : 'waiting') === (later > 0 ? 1 : 2));
    },
  );

  it('does not reject a waiter that has lost its place', async () => {
    await using setup = await ProxiedLocks.start(server);
    const holder = await queueOf(setup, 0);
    const waiter = setup.locks.lock('order', { maxWaiters: 1 });
    await eventually(() => setup.count('waiting') === 1);
    const [, node] = inOrder(await setup.contenders('order'));
    const second = setup.others.lock('order');
    const third = setup.others.lock('order');
    await eventually(async () => (await setup.contenders('order')).length === 4);

    await setup.observer.delete(`${setup.path('order')}/${node}`);
    await holder.release();
    await eventually(() => setup.count('waiting') === 2);

    await (await second).release();
    await (await third).release();
    expect((await waiter).isHeld()).toBe(true);
  });

  it('does not keep a wait from ending as a timeout behind a holder of its process, where the servers are slow', async () => {
    await using setup = await ProxiedLocks.start(server);
    const held = await setup.locks.lock('order');
    setup.proxy.delay(1_000);

    const late: unknown = await setup.locks
      .lock('order', { maxWaiters: 3, wait: 300 })
      .catch((error: unknown) => error);

    expect(setup.count('waiting')).toBe(0);
    expect(late).toBeInstanceOf(LockTimeoutError);
    expect(setup.count('timedOut')).toBe(1);
    expect(held.isHeld()).toBe(true);
    setup.proxy.delay(0);
  });

  function inOrder(names: readonly string[]): string[] {
    return names.toSorted((a, b) => a.slice(-10).localeCompare(b.slice(-10)));
  }
});
