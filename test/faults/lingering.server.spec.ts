import { expect, it } from 'vitest';
import { endedWithTest } from '../fixtures/ended-with-test.js';
import { startTestServer } from '../support/test-server.js';
import { ProxiedLocks } from './proxied-locks.js';

it('a lock that lingers is not busy for its process when ZooKeeper cannot be reached', async () => {
  const server = endedWithTest(await startTestServer());
  const options = { linger: 3_600_000, sessionTimeout: 4_000, connectTimeout: 3_000 };
  const { locks, proxy } = endedWithTest(await ProxiedLocks.start(server, options));
  const held = await locks.lock('order');
  proxy.blackHole();
  await held.release();

  await expect(locks.tryLock('order')).rejects.toMatchObject({ code: 'LOCK_UNAVAILABLE' });
  await expect(locks.lock('order', { wait: 0 })).rejects.toMatchObject({ code: 'LOCK_UNAVAILABLE' });
});
