import { setTimeout as sleep } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { createLockService } from '../../lib/index.js';
import { ProxiedLocks } from '../faults/proxied-locks.js';
import { eventually } from '../support/eventually.js';
import { FaultProxy } from '../support/fault-proxy.js';
import { startTestServer } from '../support/test-server.js';

const SESSION_TIMEOUT_MS = 8_000;
/** Longer than an eighth of it. */
const HANDSHAKE_MS = 1_200;
/** For tests that wait for several of them. */
const SHORT_TIMEOUT_MS = 2_000;

/** Holds back the replies to all handshakes, each for `delayMs` if that is given. The returned function ends this for later ones. */
function holdHandshakes(proxy: FaultProxy, delayMs?: number): () => void {
  const faults = Array.from({ length: 1_000 }, () => proxy.once('connect', 'holdReply', { delayMs }));
  return () => {
    for (const fault of faults) fault.cancel();
  };
}

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

it('a server that answers later than an eighth of the session timeout is reached again, and keeps no lost lock', async () => {
  await using server = await startTestServer();
  await using setup = await ProxiedLocks.start(server, {
    sessionTimeout: 2 * SHORT_TIMEOUT_MS,
    connectTimeout: 60_000,
  });
  const { locks, others, proxy } = setup;
  const held = await locks.lock('order');
  const heal = holdHandshakes(proxy);

  proxy.cutAll();
  // A late answer that a busy event loop takes for one in time would keep the lock.
  await eventually(() => !held.isHeld());
  heal();
  holdHandshakes(proxy, 600);

  const next = await others.lock('order');
  await next.release();
  await locks.withLock('order', () => {});
  // The session was continued: that removes its contenders sooner than its expiry.
  expect(setup.count('sessionExpired')).toBe(0);
});

it('a session that servers answer later than any attempt may take is given up, so that it can expire', async () => {
  await using server = await startTestServer();
  await using setup = await ProxiedLocks.start(server, {
    sessionTimeout: SHORT_TIMEOUT_MS,
    connectTimeout: 3_000,
  });
  const { locks, others, proxy } = setup;
  const held = await locks.lock('order');
  const heal = holdHandshakes(proxy);

  proxy.cutAll();

  const next = await others.lock('order');
  expect(held.isHeld()).toBe(false);
  expect(setup.count('sessionExpired')).toBe(1);
  await next.release();
  heal();
  await eventually(() => locks.withLock('order', () => true));
});
