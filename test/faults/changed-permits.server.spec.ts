import { afterAll, beforeAll, expect, test } from 'vitest';
import { startTestServer, type TestServer } from '../support/test-server.js';
import { ProxiedLocks } from './proxied-locks.js';

let server: TestServer;
beforeAll(async () => {
  server = await startTestServer();
});
afterAll(() => server.giveBack());

test.each(['setPermits', 'lock'] as const)(
  'a change of permits by %s leaves a lock alone that has taken the place of the semaphore meanwhile',
  async (method) => {
    await using setup = await ProxiedLocks.start(server);
    const { locks, others, observer, proxy } = setup;
    if (method === 'setPermits') await (await others.lock('order', { permits: 2 })).release();
    else await (await others.lock('order')).release();
    const read = proxy.once('getData', 'holdReply');
    const changing =
      method === 'setPermits' ? locks.setPermits('order', 3) : locks.tryLock('order', { permits: 3 });
    const outcome = changing.catch((error: unknown) => error);
    await read.held;
    await observer.delete(setup.path('order'));
    const held = await others.lock('order', { fair: false, purpose: 'inventory' });
    read.release();
    if (method === 'setPermits') expect(await outcome).toBe(false);
    else expect(await outcome).toMatchObject({ code: 'LOCK_FAIRNESS' });
    expect((await others.inspect('order')).holder?.owner).toMatchObject({ purpose: 'inventory' });
    expect(await held.release()).toBe(true);
  },
);

test('a call that finds another number of permits and then loses contact fails after `connectTimeout`', async () => {
  await using setup = await ProxiedLocks.start(server, { connectTimeout: 3_000 });
  const { locks, others, proxy } = setup;
  // From now on the connection is taken to know the number.
  await (await locks.lock('seats', { permits: 2 })).release();
  await others.lock('seats', { permits: 2 });
  await others.setPermits('seats', 3);
  const leaving = proxy.once('delete', 'cutBeforeForward');
  const outcome = locks.lock('seats', { permits: 2 }).catch((error: unknown) => error);
  proxy.mute();
  await leaving.fired;
  expect(await outcome).toMatchObject({ code: 'LOCK_UNAVAILABLE', resource: 'seats' });
});
