import { setTimeout as sleep } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { createLockService } from '../../lib/index.js';
import { FaultProxy } from '../support/fault-proxy.js';
import { startTestServer } from '../support/test-server.js';

const SESSION_TIMEOUT_MS = 8_000;
/** Longer than an eighth of it. */
const HANDSHAKE_MS = 1_200;

it('a server that answers the first handshake later than an eighth of the session timeout is reached at the first attempt', async () => {
  await using server = await startTestServer();
  await using proxy = await FaultProxy.start(server);
  const answer = proxy.once('connect', 'holdReply');
  const { connectString } = proxy;

  const opening = createLockService({
    connectString,
    sessionTimeout: SESSION_TIMEOUT_MS,
    connectTimeout: 20_000,
  });
  await answer.held;
  await sleep(HANDSHAKE_MS);
  answer.release();
  const locks = await opening;
  await locks.withLock('order', () => {});
  await locks.close();

  // Each attempt that gave up would have left a session behind.
  expect(proxy.count('connect')).toBe(1);
});
