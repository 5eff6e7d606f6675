import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { HeldLock, LockModuleOptions } from '../../lib/index.js';
import { eventually } from '../support/eventually.js';
import { serverWatches } from '../support/server-resources.js';
import { startTestServer, type TestServer } from '../support/test-server.js';
import { ProxiedLocks } from './proxied-locks.js';

const SIMPLE = { fair: false } as const;

describe('a lock without a queue', () => {
  let server: TestServer;

  beforeAll(async () => {
    server = await startTestServer();
  });

  afterAll(async () => server.stop());

  /** The root exists: the first create is that of the lock, and does not fail for a missing parent. */
  async function withRoot(options?: LockModuleOptions): Promise<ProxiedLocks> {
    const setup = await ProxiedLocks.start(server, options);
    await (await setup.others.lock('order', SIMPLE)).release();
    return setup;
  }

  const taken = async (setup: ProxiedLocks): Promise<boolean> =>
    (await setup.observer.exists(setup.path('order'))) !== null;

  /** Waits in another process, and resolves when the call waits. */
  async function waiterOf({ others }: ProxiedLocks): Promise<Promise<HeldLock>[]> {
    let isWaiting = false;
    const subscription = others.events$.subscribe(({ type }) => (isWaiting ||= type === 'waiting'));
    const waiter = others.lock('order', SIMPLE);
    await eventually(() => isWaiting);
    subscription.unsubscribe();
    return [waiter];
  }

  it.each(['cutBeforeForward', 'forwardThenCutBeforeReply', 'rst'] as const)(
    'is granted once after a create that gets lost (%s) (H01)',
    async (action) => {
      await using setup = await withRoot();
      const fault = setup.proxy.once('create2', action);

      const held = await setup.locks.lock('order', SIMPLE);

      await fault.fired;
      expect(held.isHeld()).toBe(true);
      expect(await setup.others.tryLock('order', SIMPLE)).toBeNull();
      expect(await held.release()).toBe(true);
      expect(await taken(setup)).toBe(false);
    },
  );

  it('is looked up after a lost reply only after a committed write (H02)', async () => {
    await using setup = await withRoot();
    const fault = setup.proxy.once('create2', 'forwardThenCutBeforeReply');

    const held = await setup.locks.lock('order', SIMPLE);

    await fault.fired;
    const requests = setup.proxy.frames.filter(({ direction }) => direction === 'request');
    const sent = requests.map(({ type }) => type);
    const reattached = sent.lastIndexOf('connect');
    // The first write is the heartbeat of the new connection, the second one the barrier.
    expect(sent.slice(reattached + 1, reattached + 4)).toEqual(['multi', 'multi', 'getData']);
    expect(setup.proxy.count('create2')).toBe(1);
    await held.release();
  });

  it('is not adopted from another session: the next one waits until that has ended (H02)', async () => {
    await using setup = await withRoot({ sessionTimeout: 8_000 });
    const fault = setup.proxy.once('create2', 'forwardThenCutBeforeReply');
    setup.proxy.rewriteSessionId(0n);

    const attempt = setup.locks.lock('order', SIMPLE);
    await fault.fired;
    const left = await eventually(() => setup.observer.exists(setup.path('order')));
    const held = await attempt;

    const mine = await setup.observer.exists(setup.path('order'));
    expect(mine?.ephemeralOwner).not.toBe(left.ephemeralOwner);
    expect(mine!.czxid).toBeGreaterThan(left.czxid);
    expect(held.isHeld()).toBe(true);
    await held.release();
  });

  it('is not granted after a lost reply if somebody else has it', async () => {
    await using setup = await withRoot();
    const holder = await setup.others.lock('order', SIMPLE);
    const fault = setup.proxy.once('create2', 'forwardThenCutBeforeReply');

    const attempt = setup.locks.lock('order', SIMPLE);
    await fault.fired;
    await eventually(() => setup.count('waiting') === 1);

    expect(setup.count('acquired')).toBe(0);
    expect(holder.isHeld()).toBe(true);
    await holder.release();
    await (await attempt).release();
  });

  it('leaves no node behind when the caller gives up while it is created (H04)', async () => {
    await using setup = await withRoot();
    const reply = setup.proxy.once('create2', 'holdReply');
    const controller = new AbortController();
    const attempt = setup.locks.lock('order', { ...SIMPLE, signal: controller.signal });
    await reply.held;

    const reason = new Error('the client has gone');
    controller.abort(reason);
    await expect(attempt).rejects.toBe(reason);
    reply.release();

    await eventually(async () => expect(await taken(setup)).toBe(false));
    expect(setup.events.map(({ type }) => type).filter((type) => type !== 'ready')).toEqual(['aborted']);
  });

  it.each(['cutBeforeForward', 'forwardThenCutBeforeReply'] as const)(
    'is free after a delete that gets lost (%s) (H06, H07)',
    async (action) => {
      await using setup = await withRoot();
      const held = await setup.locks.lock('order', SIMPLE);
      const fault = setup.proxy.once('delete', action);

      expect(await held.release()).toBe(true);

      await fault.fired;
      expect(held.isHeld()).toBe(false);
      expect(await taken(setup)).toBe(false);
      expect(setup.count('released')).toBe(1);
    },
  );

  describe('is never taken from the next holder', () => {
    it('by a delete that is repeated because its reply got lost (H07)', async () => {
      await using setup = await withRoot();
      const held = await setup.locks.lock('order', SIMPLE);
      const [waiter] = await waiterOf(setup);
      const fault = setup.proxy.once('delete', 'forwardThenCutBeforeReply');

      const released = held.release();
      const next = await waiter!;
      await fault.fired;

      expect(await released).toBe(true);
      // Answered after everything that the session has sent before.
      await setup.locks.inspect('nothing');
      expect(setup.proxy.count('delete')).toBe(1);
      expect(await taken(setup)).toBe(true);
      expect(next.isHeld()).toBe(true);
      expect(await next.release()).toBe(true);
    });

    it('by a release after an operator has deleted the node', async () => {
      await using setup = await withRoot();
      const held = await setup.locks.lock('order', SIMPLE);
      await setup.proxy.waitFor('getData', { direction: 'reply' });
      const [waiter] = await waiterOf(setup);

      await setup.observer.delete(setup.path('order'));
      const next = await waiter!;
      await eventually(() => held.signal.aborted);

      expect(held.signal.reason).toMatchObject({ reason: 'deleted' });
      expect(await held.release()).toBe(false);
      await setup.locks.inspect('nothing');
      expect(setup.proxy.count('delete')).toBe(0);
      expect(next.isHeld()).toBe(true);
      expect(await next.release()).toBe(true);
    });

    it('by a holder that was cut off while an operator deleted its node', async () => {
      await using setup = await withRoot();
      const held = await setup.locks.lock('order', SIMPLE);
      await setup.proxy.waitFor('getData', { direction: 'reply' });
      const [waiter] = await waiterOf(setup);

      setup.proxy.refuse();
      await eventually(() => setup.count('suspended') === 1);
      await setup.observer.delete(setup.path('order'));
      const next = await waiter!;
      await setup.proxy.accept();

      await eventually(() => held.signal.aborted);
      expect(held.signal.reason).toMatchObject({ reason: 'deleted' });
      expect(await held.release()).toBe(false);
      await setup.locks.inspect('nothing');
      expect(setup.proxy.count('delete')).toBe(0);
      expect(next.isHeld()).toBe(true);
      await next.release();
      // Not that of the next holder either, which the late watch has read.
      await eventually(async () => expect(await serverWatches(server)).toBe(0));
    });

    it('by a release without a connection, during which an operator deletes the node', async () => {
      await using setup = await withRoot();
      const held = await setup.locks.lock('order', SIMPLE);
      await setup.proxy.waitFor('getData', { direction: 'reply' });
      const [waiter] = await waiterOf(setup);

      setup.proxy.refuse();
      await eventually(() => setup.count('suspended') === 1);
      const released = held.release();
      await setup.observer.delete(setup.path('order'));
      const next = await waiter!;
      await setup.proxy.accept();

      await released;
      await setup.locks.inspect('nothing');
      expect(setup.proxy.count('delete')).toBe(0);
      expect(next.isHeld()).toBe(true);
      expect(await next.release()).toBe(true);
    });

    it('by a release right after a reconnection, before the watch is set again', async () => {
      await using setup = await withRoot();
      const held = await setup.locks.lock('order', SIMPLE);
      await setup.proxy.waitFor('getData', { direction: 'reply' });
      const [waiter] = await waiterOf(setup);

      setup.proxy.refuse();
      await eventually(() => setup.count('suspended') === 1);
      await setup.observer.delete(setup.path('order'));
      const next = await waiter!;
      const look = setup.proxy.once('getData', 'holdReply');
      await setup.proxy.accept();
      await look.held;
      const released = held.release();
      look.release();

      await released;
      await setup.locks.inspect('nothing');
      expect(setup.proxy.count('delete')).toBe(0);
      expect(next.isHeld()).toBe(true);
      expect(await next.release()).toBe(true);
    });

    it('by a holder whose session has expired (H08)', async () => {
      await using setup = await withRoot({ sessionTimeout: 1_000 });
      const held = await setup.locks.lock('order', SIMPLE);

      setup.proxy.refuse();
      const next = await setup.others.lock('order', SIMPLE);
      expect(held.isHeld()).toBe(false);
      await setup.proxy.accept();
      await eventually(() => setup.count('ready') >= 1 && setup.count('sessionExpired') >= 1);

      expect(await held.release()).toBe(false);
      await setup.locks.inspect('nothing');
      expect(next.isHeld()).toBe(true);
      expect(await taken(setup)).toBe(true);
      await next.release();
    });
  });

  it('asks its holder for a release by a setData, which loses nothing (H37)', async () => {
    await using setup = await withRoot();
    const held = await setup.locks.lock('order', SIMPLE);
    await setup.proxy.waitFor('getData', { direction: 'reply' });
    const [waiter] = await waiterOf(setup);

    await setup.observer.setData(setup.path('order'), Buffer.from('__REVOKE__'));

    await eventually(() => setup.count('revokeRequested') >= 1);
    expect(held.isHeld()).toBe(true);
    expect(await held.release()).toBe(true);
    await (await waiter!).release();
  });

  describe('a waiter', () => {
    it('has the lock although it was cut off when the holder left (H11)', async () => {
      await using setup = await withRoot();
      const holder = await setup.others.lock('order', SIMPLE);
      const waiter = setup.locks.lock('order', SIMPLE);
      await eventually(() => setup.count('waiting') === 1);

      setup.proxy.refuse();
      await eventually(() => setup.count('suspended') === 1);
      await holder.release();
      await setup.proxy.accept();

      const held = await waiter;
      expect(held.isHeld()).toBe(true);
      // It had no place that it could have lost.
      expect(setup.count('waiting')).toBe(1);
      await held.release();
    });

    it('watches the same holder again after a lost connection, without another try', async () => {
      await using setup = await withRoot();
      const holder = await setup.others.lock('order', SIMPLE);
      const waiter = setup.locks.lock('order', SIMPLE);
      await eventually(() => setup.count('waiting') === 1);

      setup.proxy.cutAll();
      await eventually(() => setup.count('resumed') === 1);
      await setup.proxy.waitFor('getData', { direction: 'reply', occurrence: 2 });
      expect(setup.proxy.count('create2')).toBe(1);

      await holder.release();
      const held = await waiter;
      expect(held.isHeld()).toBe(true);
      await held.release();
    });

    it('waits on in a new session when its own has expired', async () => {
      await using setup = await withRoot();
      const holder = await setup.others.lock('order', SIMPLE);
      const waiter = setup.locks.lock('order', SIMPLE);
      await eventually(() => setup.count('waiting') === 1);

      setup.proxy.rewriteSessionId(0n);
      setup.proxy.cutAll();
      await eventually(() => setup.count('sessionExpired') >= 1);
      await eventually(() => setup.count('waiting') === 2);
      expect(setup.events.findLast(({ type }) => type === 'waiting')).toMatchObject({ requeued: true });

      await holder.release();
      const held = await waiter;
      expect(held.isHeld()).toBe(true);
      await held.release();
    });

    it('leaves no watch on the server when it gives up (H14, H15)', async () => {
      await using setup = await withRoot();
      const holder = await setup.others.lock('order', SIMPLE);
      const controller = new AbortController();
      const { signal } = controller;
      const waiters = Array.from({ length: 20 }, () => setup.locks.lock('order', { ...SIMPLE, signal }));
      await eventually(() => setup.count('waiting') === 20);
      // One of the session of all waiters, and one of the holder.
      await eventually(async () => expect(await serverWatches(server)).toBe(2));

      controller.abort();
      await Promise.allSettled(waiters);

      await eventually(async () => expect(await serverWatches(server)).toBe(1));
      await holder.release();
      await eventually(async () => expect(await serverWatches(server)).toBe(0));
    });
  });

  it('is not taken by somebody who removes an unused queue, when it has taken the place of that', async () => {
    await using setup = await ProxiedLocks.start(server);
    // The lock path of a queue, without contenders.
    await (await setup.others.lock('order', { permits: 2 })).release();
    const path = setup.path('order');
    const look = setup.proxy.once('getData', 'holdReply');
    // It reads another number of permits, and then removes the path for it.
    const late = setup.locks.lock('order', { permits: 3 });
    await look.held;
    const held = await setup.others.lock('order', SIMPLE);
    look.release();

    await expect(late).rejects.toMatchObject({ code: 'LOCK_FAIRNESS' });
    expect(await setup.observer.exists(path)).not.toBeNull();
    expect(held.isHeld()).toBe(true);
    expect(await held.release()).toBe(true);
  });
});
