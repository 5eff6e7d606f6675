import { expect, it } from 'vitest';
import { createLockService } from '../../lib/index.js';
import { FaultProxy } from '../support/fault-proxy.js';
import { startTestServer } from '../support/test-server.js';

it('a server that answers the first handshake later than an eighth of the session timeout is reached at the first attempt', async () => {
  await using server = await startTestServer();
  await using proxy = await FaultProxy.start(server);
  proxy.delay(150);
  const { connectString } = proxy;

  const locks = await createLockService({ connectString, sessionTimeout: 2_000, connectTimeout: 4_000 });
  proxy.delay(0);
  await locks.withLock('order', () => {});
  await locks.close();

  // Each attempt that gave up would have left a session behind.
  expect(proxy.count('connect')).toBe(1);
});
