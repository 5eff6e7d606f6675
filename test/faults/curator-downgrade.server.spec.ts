import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { LockMode } from '../../lib/index.js';
import { startTestServer, type TestServer } from '../support/test-server.js';
import { ProxiedLocks } from './proxied-locks.js';

/** What Curator's write lock leaves in a node's name, and its read lock, without the number. */
const WRITE = '_c_1c9f0d4e-7a0c-4a43-9b52-0a4f6d3d8a11-__WRIT__';
const READ = '_c_5b3ad1c0-3f0b-4d5e-8f66-6d0e6c9f2b27-__READ__';

describe("a holder of Curator's write lock that acquires the read lock, and releases the write lock (H18)", () => {
  let server: TestServer;

  beforeAll(async () => {
    server = await startTestServer();
  });

  afterAll(async () => server.giveBack());

  /** Since Curator 5.5.0, the node of the read lock has the number of the write lock (CURATOR-621). */
  async function curator(setup: ProxiedLocks) {
    const create = (name: string, mode: 'ephemeral' | 'ephemeral-sequential') =>
      setup.observer.create2(`${setup.path('book')}/${name}`, mode, Buffer.from('10.0.0.1'));
    const written = (await create(WRITE, 'ephemeral-sequential')).path;
    return {
      downgrade: async (): Promise<string> => {
        const read = `${READ}${written.slice(-10)}`;
        await create(read, 'ephemeral');
        return `${setup.path('book')}/${read}`;
      },
      written,
    };
  }

  /** Makes the lock path, and queues behind a writer. */
  async function start(setup: ProxiedLocks, mode: LockMode) {
    const first = await setup.others.lock('book');
    const { written, downgrade } = await curator(setup);
    await first.release();
    const waiter = setup.locks.lock('book', { mode });
    await setup.proxy.waitFor(mode === 'read' ? 'setWatches' : 'getData', { direction: 'reply' });
    return { waiter, written, downgrade };
  }

  it.each(['write', 'exclusive'] as const)('still keeps the lock from a waiter with %s', async (mode) => {
    await using setup = await ProxiedLocks.start(server);
    const { waiter, written, downgrade } = await start(setup, mode);
    const lists = setup.proxy.count('getChildren2', 'reply');

    const read = await downgrade();
    await setup.observer.delete(written);
    await setup.proxy.waitFor('getChildren2', { direction: 'reply', occurrence: lists + 1 });
    const { holders, waiters } = await setup.locks.inspect('book');

    expect(holders.map((holder) => holder.mode)).toEqual(['read']);
    expect(waiters.map((member) => member.mode)).toEqual([mode]);
    expect(setup.count('acquired')).toBe(0);
    await setup.observer.delete(read);
    expect((await waiter).isHeld()).toBe(true);
  });

  it.each(['write', 'exclusive'] as const)(
    'keeps it from one with %s that comes in between',
    async (mode) => {
      await using setup = await ProxiedLocks.start(server);
      const first = await setup.others.lock('book');
      const { written, downgrade } = await curator(setup);
      await first.release();
      const ahead = setup.others.lock('book', { mode });
      await setup.hasContenders('book', 2);
      const read = await downgrade();
      const waiter = setup.locks.lock('book', { mode });
      await setup.hasContenders('book', 4);

      expect((await setup.locks.inspect('book')).waiters.map((member) => member.mode)).toEqual([
        'read',
        mode,
        mode,
      ]);
      await setup.observer.delete(written);
      expect((await setup.locks.inspect('book')).holders.map((member) => member.mode)).toEqual(['read']);
      await setup.observer.delete(read);
      await (await ahead).release();
      expect((await waiter).isHeld()).toBe(true);
    },
  );

  it.each(['write', 'exclusive'] as const)(
    'is not expected of a writer of this library: one with %s behind it needs no list',
    async (mode) => {
      await using setup = await ProxiedLocks.start(server);
      const writer = await setup.others.lock('book', { mode: 'write' });
      const waiter = setup.locks.lock('book', { mode });
      await setup.proxy.waitFor('setWatches', { direction: 'reply' });
      const lists = setup.proxy.count('getChildren2', 'request');

      await writer.release();

      expect((await waiter).isHeld()).toBe(true);
      expect(setup.proxy.count('getChildren2', 'request')).toBe(lists);
    },
  );

  it('shares the lock with a reader that has waited for it', async () => {
    await using setup = await ProxiedLocks.start(server);
    const { waiter, written, downgrade } = await start(setup, 'read');

    await downgrade();
    await setup.observer.delete(written);

    expect((await waiter).isHeld()).toBe(true);
    expect((await setup.locks.inspect('book')).holders).toHaveLength(2);
  });
});
