import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { HeldLock } from '../../lib/index.js';
import { ProxiedLocks } from '../faults/proxied-locks.js';
import { startTestServer, type TestServer } from '../support/test-server.js';

let server: TestServer;
beforeAll(async () => {
  server = await startTestServer();
});
afterAll(() => server.giveBack());

let setup: ProxiedLocks;
beforeEach(async () => {
  setup = await ProxiedLocks.start(server);
  return () => setup[Symbol.asyncDispose]();
});

/** Asks for the lock again in the turn in which it is released. */
async function releaseAndLock(held: HeldLock): Promise<HeldLock> {
  const released = held.release();
  const next = setup.locks.lock('order');
  await released;
  return next;
}

/** How many requests there have been: creates and deletes that were no steps of a transaction, and lists. */
function requests(): readonly number[] {
  return ['create2', 'delete', 'getChildren2'].map((name) => setup.proxy.count(name));
}

describe('a release, and a call for the same lock in the same turn', () => {
  test('are one write, and the lock is granted by its reply, with a larger token', async () => {
    let held = await setup.locks.lock('order');
    // Small numbers prove nothing: a few transactions of other sessions could have made the lock path again.
    for (let cycle = 0; cycle < 25; cycle += 1) held = await releaseAndLock(held);
    const before = requests();
    const tokens = [held.fencingToken];
    for (let cycle = 0; cycle < 10; cycle += 1) {
      held = await releaseAndLock(held);
      tokens.push(held.fencingToken);
    }

    expect(requests()).toEqual(before);
    expect(tokens).toEqual([...new Set(tokens)].toSorted((a, b) => (a < b ? -1 : 1)));
    expect(await setup.contenders('order')).toHaveLength(1);
    await held.release();
  });

  test('leave the lock to another process that waits for it', async () => {
    const held = await setup.locks.lock('order');
    const others = setup.others.lock('order');
    await setup.hasContenders('order', 2);
    const next = releaseAndLock(held);
    const other = await others;
    await setup.hasContenders('order', 2);
    expect(setup.count('acquired')).toBe(1);
    await other.release();
    await (await next).release();
  });

  test('are executed one by one if the node of the first one has been removed by hand', async () => {
    const held = await setup.locks.lock('order');
    const [name] = await setup.contenders('order');
    await setup.observer.delete(`${setup.path('order')}/${name}`);
    const released = held.release();
    const next = await setup.locks.lock('order');
    expect(await released).toBe(false);
    expect(await setup.contenders('order')).toHaveLength(1);
    await next.release();
    expect(await setup.contenders('order')).toEqual([]);
  });

  test.each(['cutBeforeForward', 'forwardThenCutBeforeReply'] as const)(
    'leave one contender if the connection ends before the reply (%s)',
    async (action) => {
      const held = await setup.locks.lock('order');
      const reply = setup.proxy.once('multi', action);
      const next = await releaseAndLock(held);
      await reply.fired;
      expect(await setup.contenders('order')).toHaveLength(1);
      await next.release();
      expect(await setup.contenders('order')).toEqual([]);
    },
  );
});
