import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { LockModuleOptions } from '../../lib/index.js';
import { sequenceOf } from '../../lib/zookeeper/recipe/contender-name.js';
import { eventually } from '../support/eventually.js';
import { startTestServer, type TestServer } from '../support/test-server.js';
import { ProxiedLocks } from './proxied-locks.js';

describe('a request or reply that gets lost', () => {
  let server: TestServer;

  beforeAll(async () => {
    server = await startTestServer();
  });

  afterAll(async () => server.giveBack());

  /** The lock path exists: the first create is that of the contender, and does not fail for a missing parent. */
  async function withLockPath(options?: LockModuleOptions): Promise<ProxiedLocks> {
    const setup = await ProxiedLocks.start(server, options);
    await (await setup.others.lock('order')).release();
    return setup;
  }

  it.each(['cutBeforeForward', 'forwardThenCutBeforeReply', 'rst'] as const)(
    'of create (%s) results in one contender and a grant (H01)',
    async (action) => {
      await using setup = await withLockPath();
      const fault = setup.proxy.once('create2', action);

      const held = await setup.locks.lock('order');

      await fault.fired;
      expect(held.isHeld()).toBe(true);
      expect(await setup.contenders('order')).toHaveLength(1);
      expect(await held.release()).toBe(true);
      expect(await setup.contenders('order')).toEqual([]);
    },
  );

  it.each(['cutBeforeForward', 'forwardThenCutBeforeReply'] as const)(
    'of a transaction with several creates (%s) results in one contender and a grant for each (H01)',
    async (action) => {
      await using setup = await ProxiedLocks.start(server);
      const resources = ['a', 'b', 'c', 'd'];
      for (const resource of resources) await (await setup.others.lock(resource)).release();
      await (await setup.locks.lock('order')).release();
      // A heartbeat is smaller.
      const fault = setup.proxy.once('multi', action, { where: ({ size }) => size > 200 });

      const held = await Promise.all(resources.map((resource) => setup.locks.lock(resource)));

      await fault.fired;
      for (const resource of resources) expect(await setup.contenders(resource)).toHaveLength(1);
      expect(await Promise.all(held.map((lock) => lock.release()))).toEqual([true, true, true, true]);
      for (const resource of resources) expect(await setup.contenders(resource)).toEqual([]);
    },
  );

  it('of create is followed by a lookup only after a committed write, even on a lagging connection (H02)', async () => {
    await using setup = await withLockPath();
    const fault = setup.proxy.once('create2', 'forwardThenCutBeforeReply');

    const held = await setup.locks.lock('order');

    await fault.fired;
    const requests = setup.proxy.frames.filter(({ direction }) => direction === 'request');
    const sent = requests.map(({ type }) => type);
    const reattached = sent.lastIndexOf('connect');
    // The first write is the heartbeat of the new connection, the second one the barrier.
    expect(sent.slice(reattached + 1, reattached + 4)).toEqual(['multi', 'multi', 'getChildren2']);
    await held.release();
  });

  it('of create in a session that ends slowly makes a contender that the next session waits for, and does not adopt (H02)', async () => {
    await using setup = await withLockPath({ sessionTimeout: 8_000 });
    const fault = setup.proxy.once('create2', 'forwardThenCutBeforeReply');
    setup.proxy.rewriteSessionId(0n);

    const attempt = setup.locks.lock('order');
    await fault.fired;
    const queue = await eventually(async () => {
      const names = await setup.contenders('order');
      return names.length === 2 && names;
    });
    const held = await attempt;

    const [left, ...others] = await setup.contenders('order');
    expect(others).toEqual([]);
    expect(sequenceOf(left!)).toBe(Math.max(...queue.map((name) => sequenceOf(name)!)));
    expect(held.isHeld()).toBe(true);
    await held.release();
  });

  it.each(['cutBeforeForward', 'forwardThenCutBeforeReply'] as const)(
    'of the delete of a release (%s) is sent again until the lock is free (H06, H07)',
    async (action) => {
      await using setup = await ProxiedLocks.start(server);
      const held = await setup.locks.lock('order');
      const fault = setup.proxy.once('delete', action);

      expect(await held.release()).toBe(true);

      await fault.fired;
      expect(held.isHeld()).toBe(false);
      expect(await setup.contenders('order')).toEqual([]);
      expect(setup.count('released')).toBe(1);
    },
  );

  it('of the delete after a busy attempt leaves only the holder (H03)', async () => {
    await using setup = await ProxiedLocks.start(server);
    // The read before the attempt finds no contender: the holder is created between it and the create.
    const look = setup.proxy.once('getChildren2', 'holdReply');
    const fault = setup.proxy.once('delete', 'cutBeforeForward');
    const attempt = setup.locks.tryLock('order');
    await look.held;
    const holder = await setup.others.lock('order');
    look.release();

    expect(await attempt).toBeNull();

    await fault.fired;
    await eventually(async () => expect(await setup.contenders('order')).toHaveLength(1));
    expect(holder.isHeld()).toBe(true);
  });

  it('does not reach a caller that has given up, and leaves no contender (H04)', async () => {
    await using setup = await withLockPath();
    const reply = setup.proxy.once('create2', 'holdReply');
    const controller = new AbortController();
    const attempt = setup.locks.lock('order', { signal: controller.signal });
    await reply.held;

    const reason = new Error('the client has gone');
    controller.abort(reason);
    await expect(attempt).rejects.toBe(reason);
    reply.release();

    await eventually(async () => expect(await setup.contenders('order')).toEqual([]));
    expect(setup.events.map(({ type }) => type).filter((type) => type !== 'ready')).toEqual(['aborted']);
  });

  it('does not let an attempt continue after the service has closed (H05)', async () => {
    await using setup = await ProxiedLocks.start(server);
    const list = setup.proxy.once('getChildren2', 'holdReply');
    const attempt = setup.locks.tryLock('order');
    await list.held;

    const closing = setup.locks.close();
    await expect(attempt).rejects.toThrow('shutting down');
    list.release();
    await closing;

    expect(setup.proxy.count('create2')).toBe(0);
  });
});
