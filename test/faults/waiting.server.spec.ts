import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { block } from '../support/block.js';
import { eventually } from '../support/eventually.js';
import { ifThere } from '../support/if-there.js';
import { serverWatches } from '../support/server-resources.js';
import { startTestServer, type TestServer } from '../support/test-server.js';
import { withError } from '../support/with-error.js';
import { ProxiedLocks } from './proxied-locks.js';

const NO_AUTH = -102;
/** All permissions but that to read. */
const UNREADABLE = { scheme: 'world', id: 'anyone', permissions: 30 };

describe('a waiter', () => {
  let server: TestServer;

  beforeAll(async () => {
    server = await startTestServer();
  });

  afterAll(async () => server.giveBack());

  async function heldByOthers(setup: ProxiedLocks) {
    const holder = await setup.others.lock('order');
    const waiter = setup.locks.lock('order');
    await eventually(() => setup.count('waiting') >= 1);
    // It watches the holder's node and its own.
    await setup.proxy.waitFor('setWatches', { direction: 'reply' });
    return { holder, waiter };
  }

  it('is granted a lock whose holder left while the waiter was disconnected (H11)', async () => {
    await using setup = await ProxiedLocks.start(server);
    const { holder, waiter } = await heldByOthers(setup);

    setup.proxy.refuse();
    await eventually(() => setup.count('suspended') === 1);
    await holder.release();
    await setup.proxy.accept();

    expect((await waiter).isHeld()).toBe(true);
  });

  it('that was disconnected watches the same contender again, and requests no list (H62)', async () => {
    await using setup = await ProxiedLocks.start(server);
    const { holder, waiter } = await heldByOthers(setup);
    const lists = setup.proxy.count('getChildren2');

    setup.proxy.cutAll();
    await setup.proxy.waitFor('setWatches', { direction: 'reply', occurrence: 2 });

    expect(setup.proxy.count('getChildren2')).toBe(lists);
    await holder.release();
    expect((await waiter).isHeld()).toBe(true);
    expect(setup.proxy.count('getChildren2')).toBe(lists);
  });

  it('is granted the lock while it still reads the owner ahead', async () => {
    await using setup = await ProxiedLocks.start(server);
    const holder = await setup.others.lock('order');
    const read = setup.proxy.once('getData', 'holdRequest');
    const waiter = setup.locks.lock('order');
    await read.held;

    await holder.release();

    expect((await waiter).isHeld()).toBe(true);
    expect(setup.count('suspended')).toBe(0);
    read.release();
  });

  it('has waited in vain, and not without contact, if its time is up while the event loop is blocked (H41)', async () => {
    await using setup = await ProxiedLocks.start(server, { sessionTimeout: 12_000 });
    await setup.others.lock('order');
    const waits = [setup.locks.lock('order', { wait: 2_800 }), setup.locks.tryLock('order', { wait: 2_800 })];
    const outcomes = Promise.allSettled(waits);
    await eventually(() => setup.count('waiting') === 2);

    // Longer than from one heartbeat to the answer to the next one.
    block(3_000);

    expect(await outcomes).toMatchObject([
      { status: 'rejected', reason: { code: 'LOCK_TIMEOUT' } },
      { status: 'fulfilled', value: null },
    ]);
    expect(setup.locks.state).toBe('connected');
  });

  it('is not granted the lock when the waiter ahead gives up (H12)', async () => {
    await using setup = await ProxiedLocks.start(server);
    const holder = await setup.others.lock('order');
    const controller = new AbortController();
    const ahead = setup.others.lock('order', { signal: controller.signal });
    await eventually(async () => (await setup.contenders('order')).length === 2);
    const waiter = setup.locks.lock('order');
    await eventually(() => setup.count('waiting') === 1);
    await setup.proxy.waitFor('setWatches', { direction: 'reply' });

    controller.abort();
    await expect(ahead).rejects.toThrow();
    await eventually(async () => (await setup.contenders('order')).length === 2);
    // Answered after the notification.
    await setup.locks.inspect('order');

    expect(setup.count('acquired')).toBe(0);
    await holder.release();
    expect((await waiter).isHeld()).toBe(true);
  });

  // Servers do not notify it of such nodes, and newer ones do not let it look at them. The session timeout is longer than this test may take.
  it.each([1, 4])('looks for contenders whose data it may not read: %i', async (count) => {
    await using patient = await startTestServer({ maxSessionTimeout: 600_000 });
    await using setup = await ProxiedLocks.start(patient, { sessionTimeout: 600_000 });
    const first = await setup.others.lock('order');
    const nodes: string[] = [];
    for (let i = 0; i < count; i += 1) {
      const name = `${setup.path('order')}/_c_${randomUUID()}-lock-`;
      const { path } = await setup.observer.create2(name, 'ephemeral-sequential', Buffer.alloc(0), [
        UNREADABLE,
      ]);
      nodes.push(path);
    }
    const waiter = setup.locks.lock('order');
    await setup.proxy.waitFor('setWatches', { direction: 'reply' });
    // It cannot read who is ahead either; if it watches only the nearest, it has tried that before.
    await setup.proxy.waitFor('getData', { direction: 'reply', occurrence: count === 1 ? 1 : 2 });
    setup.proxy.rewriteReply('exists', (reply) => withError(reply, NO_AUTH));

    await first.release();
    // The nearest one last: with four it watches no other one.
    for (const node of nodes) await setup.observer.delete(node);

    expect((await waiter).isHeld()).toBe(true);
  });

  it('queues again, and emits an event, when its node is deleted by hand (H13)', async () => {
    await using setup = await ProxiedLocks.start(server);
    const { holder, waiter } = await heldByOthers(setup);
    const second = setup.others.lock('order');
    await eventually(async () => (await setup.contenders('order')).length === 3);

    await setup.observer.delete(`${setup.path('order')}/${await nodeOfWaiter(setup)}`);
    await holder.release();

    await eventually(() => setup.count('waiting') === 2);
    expect(setup.events.findLast(({ type }) => type === 'waiting')).toMatchObject({ requeued: true });
    await (await second).release();
    expect((await waiter).isHeld()).toBe(true);
  });

  it('that was not notified of the deletion of its node is not granted the lock (H13)', async () => {
    await using setup = await ProxiedLocks.start(server, { sessionTimeout: 5_000 });
    const { holder, waiter } = await heldByOthers(setup);
    const second = setup.others.lock('order');
    await eventually(async () => (await setup.contenders('order')).length === 3);

    for (const node of [`${setup.path('order')}/${await nodeOfWaiter(setup)}`, undefined]) {
      const lost = setup.proxy.once('deleted', 'dropNotification');
      if (node === undefined) await holder.release();
      else await setup.observer.delete(node);
      await lost.fired;
    }

    const held = await second;
    // It looks after a session timeout.
    await eventually(() => setup.events.some((event) => event.type === 'waiting' && event.requeued));
    expect(held.isHeld()).toBe(true);
    await held.release();
    expect((await waiter).isHeld()).toBe(true);
  });

  it('queues again when the whole lock path is deleted by hand (H23)', async () => {
    await using setup = await ProxiedLocks.start(server);
    const { waiter } = await heldByOthers(setup);

    const nodes = (await setup.contenders('order')).toSorted((a, b) =>
      a.slice(-10).localeCompare(b.slice(-10)),
    );
    // The waiter is notified after everything is deleted; otherwise it would queue again in the existing path.
    setup.proxy.holdNotifications();
    // The waiter first: it must not be granted the lock when the holder's node is deleted.
    for (const node of nodes.toReversed()) await setup.observer.delete(`${setup.path('order')}/${node}`);
    // The server may have reaped the empty path meanwhile.
    await ifThere(setup.observer.delete(setup.path('order')));
    setup.proxy.releaseNotifications();

    expect((await waiter).isHeld()).toBe(true);
    expect(await setup.contenders('order')).toHaveLength(1);
  });

  it('queues again within its wait when its session expires', async () => {
    await using setup = await ProxiedLocks.start(server, { sessionTimeout: 1_000 });
    const { holder, waiter } = await heldByOthers(setup);

    setup.proxy.refuse();
    await eventually(async () => (await setup.contenders('order')).length === 1);
    await setup.proxy.accept();

    await eventually(() => setup.count('sessionExpired') >= 1);
    await eventually(() => setup.events.some((event) => event.type === 'waiting' && event.requeued));
    await holder.release();
    expect((await waiter).isHeld()).toBe(true);
  });

  it('that gives up leaves no watch on the server (H14, H15)', async () => {
    await using setup = await ProxiedLocks.start(server, { localQueue: false });
    const holder = await setup.others.lock('order');
    const controller = new AbortController();
    const waiters = Array.from({ length: 50 }, () =>
      setup.locks.lock('order', { signal: controller.signal }),
    );
    await eventually(() => setup.count('waiting') === 50);
    // One watch for each waiter, and one of the holder.
    await eventually(async () => expect(await serverWatches(server)).toBe(51));

    controller.abort();
    const outcomes = await Promise.allSettled(waiters);

    expect(outcomes.every(({ status }) => status === 'rejected')).toBe(true);
    await eventually(async () => expect(await setup.contenders('order')).toHaveLength(1));
    // Only the holder's own watch remains while the node that the first waiter watched exists.
    await eventually(async () => expect(await serverWatches(server)).toBe(1));
    await holder.release();
    await eventually(async () => expect(await serverWatches(server)).toBe(0));
  });

  it('ignores a child that is not a contender (H22)', async () => {
    await using setup = await ProxiedLocks.start(server);
    const earlier = await setup.others.lock('order');
    // While there is a contender: an empty path can be reaped at any moment.
    await setup.observer.create2(`${setup.path('order')}/0-meta`);
    await earlier.release();

    const held = await setup.locks.lock('order');

    expect(held.isHeld()).toBe(true);
    expect(await setup.others.tryLock('order')).toBeNull();
    await held.release();
    await setup.observer.delete(`${setup.path('order')}/0-meta`);
  });

  async function nodeOfWaiter(setup: ProxiedLocks): Promise<string> {
    const names = await setup.contenders('order');
    return names.toSorted((a, b) => a.slice(-10).localeCompare(b.slice(-10)))[1]!;
  }
});
