import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createLockService, type LockModuleOptions } from '../../lib/index.js';
import { ProxiedLocks } from '../faults/proxied-locks.js';
import { eventually } from '../support/eventually.js';
import { RawSession } from '../support/raw-session.js';
import { startTestServer, type TestServer } from '../support/test-server.js';

const TICK_MS = 200;
/** A quarter of it may pass without an answer: a short stall of the machine or the server ends no connection. */
const SESSION_TIMEOUT_MS = 10_000;
/** A heartbeat is sent every sixth of the timeout: after this many, the session has outlasted its timeout. */
const HEARTBEATS = 8;
const PATIENCE_MS = 40_000;
const EVENT_INTERVAL_MS = 50;

describe('a session', () => {
  let server: TestServer;

  beforeAll(async () => {
    server = await startTestServer({ tickTime: TICK_MS, minSessionTimeout: 2 * TICK_MS });
  });

  afterAll(async () => server.giveBack());

  // Each of these tests follows its own session for many heartbeats, so they run concurrently.
  it.concurrent('stays alive without any requests of its user', async () => {
    await using setup = await ProxiedLocks.start(server, { sessionTimeout: SESSION_TIMEOUT_MS });
    const held = await setup.locks.lock('order');

    // The heartbeats measure the time.
    await setup.proxy.waitFor('multi', {
      direction: 'reply',
      occurrence: HEARTBEATS,
      timeoutMs: PATIENCE_MS,
    });

    expect(held.isHeld()).toBe(true);
    expect(setup.count('suspended')).toBe(0);
  });

  it.concurrent('stays alive while the server sends a stream of events (ping starvation)', async () => {
    await using setup = await ProxiedLocks.start(server, { sessionTimeout: SESSION_TIMEOUT_MS });
    const held = await setup.locks.lock('order');
    await setup.proxy.waitFor('getData', { direction: 'reply' });
    const [node] = await setup.contenders('order');

    // Many events in each interval between heartbeats, until there were enough heartbeats.
    for (let i = 0; setup.proxy.count('multi', 'reply') < HEARTBEATS; i += 1) {
      await setup.observer.setData(`${setup.path('order')}/${node}`, Buffer.from(String(i)));
      await setup.proxy.waitFor('dataChanged', { direction: 'notification', occurrence: i + 1 });
      await setup.proxy.waitFor('getData', { direction: 'reply', occurrence: i + 2 });
      await sleep(EVENT_INTERVAL_MS);
    }

    expect(held.isHeld()).toBe(true);
    expect(setup.count('suspended')).toBe(0);
  });

  it.concurrent('has one heartbeat in flight at a time', async () => {
    await using setup = await ProxiedLocks.start(server, { sessionTimeout: 2_000 });
    await setup.proxy.waitFor('multi', { direction: 'reply', occurrence: 3 });

    const fault = setup.proxy.once('multi', 'holdReply');
    await fault.held;
    const answered = setup.proxy.frames.length;
    const connections = setup.proxy.count('connect');
    await setup.proxy.waitFor('connect', { occurrence: connections + 1 });

    const untilReconnected = setup.proxy.frames.slice(answered).map(({ type }) => type);
    expect(untilReconnected.slice(0, untilReconnected.indexOf('connect'))).not.toContain('multi');
    fault.release();
  });

  it.concurrent('is suspended by a dead link, and resumed over a live one (H30)', async () => {
    // A quarter of the timeout to notice it, and as much again for the noise of the machine, before the lock is lost.
    await using setup = await ProxiedLocks.start(server, { sessionTimeout: 16_000 });
    const held = await setup.locks.lock('order');

    setup.proxy.blackHole();
    await eventually(() => setup.count('suspended') === 1);
    setup.proxy.heal();
    await eventually(() => setup.count('resumed') === 1);

    expect(held.isHeld()).toBe(true);
    expect(await held.release()).toBe(true);
  });

  it('uses the timeout that the server grants, not the one it requested (H35)', async () => {
    await using setup = await ProxiedLocks.start(server, { sessionTimeout: 60_000 });

    expect(setup.events).toEqual([]);
    const ready = await new Promise((resolve) => setup.locks.ready$.subscribe(resolve));
    expect(ready).toMatchObject({ type: 'ready', sessionTimeout: 40_000 });
  });

  it('ends if the server silently replaces it (H33)', async () => {
    await using setup = await ProxiedLocks.start(server);
    const held = await setup.locks.lock('order');

    setup.proxy.rewriteSessionId(0n);
    setup.proxy.cutAll();

    await eventually(() => setup.count('sessionExpired') === 1 && setup.count('ready') === 1);
    expect(held.isHeld()).toBe(false);
    expect(held.signal.reason).toMatchObject({ name: 'LockLostError', reason: 'session' });
    // The server still has the old session and its lock: no client may be granted the lock before that session ends.
    expect(await setup.others.tryLock('order')).toBeNull();
  });

  it('is replaced after it has expired, and locks are granted again', async () => {
    await using setup = await ProxiedLocks.start(server, { sessionTimeout: 1_000 });
    const held = await setup.locks.lock('order');

    setup.proxy.refuse();
    await eventually(async () => expect(await setup.contenders('order')).toEqual([]));
    await setup.proxy.accept();
    const again = await setup.locks.lock('order');

    expect(held.isHeld()).toBe(false);
    expect(again.isHeld()).toBe(true);
    expect(again.fencingToken).toBeGreaterThan(held.fencingToken);
    await again.release();
  });

  it.each([
    ['a chroot that it creates', '/shop/eu'],
    ['no chroot', ''],
  ])('locks under %s', async (_, chroot) => {
    const locks = await createLockService({
      connectString: `${server.connectString}${chroot}`,
      createChroot: true,
      root: '/tills/front',
    });
    const held = await locks.lock('till:1');
    const waiter = locks.lock('till:1');
    await eventually(async () => (await locks.inspect('till:1')).waiters.length === 1);

    await using observer = await RawSession.connect(server);
    // Both callers share it.
    expect(await observer.getChildren(`${chroot}/tills/front/till:1`)).toHaveLength(1);
    await held.release();
    await (await waiter).release();
    await locks.close();
  });

  it('with credentials denies other clients access to its locks (H39)', async () => {
    const options: LockModuleOptions = {
      connectString: server.connectString,
      root: '/safe',
      auth: { credential: 'shop:secret' },
    };
    const locks = await createLockService(options);
    const held = await locks.lock('order');

    await using stranger = await RawSession.connect(server);
    await expect(stranger.getChildren('/safe/order')).rejects.toMatchObject({ code: -102 });
    const theirs: LockModuleOptions = { connectString: server.connectString, root: '/safe', lazy: true };
    const other = await createLockService(theirs);
    await expect(other.lock('order')).rejects.toMatchObject({
      name: 'LockUnavailableError',
      message: expect.stringContaining('NO_AUTH'),
    });
    expect(held.isHeld()).toBe(true);
    await held.release();
    await Promise.all([locks.close(), other.close()]);
  });

  it('with credentials that the server refuses fails the start', async () => {
    await expect(
      createLockService({
        connectString: server.connectString,
        auth: { scheme: 'nonsense', credential: 'a:b' },
      }),
    ).rejects.toMatchObject({
      name: 'LockUnavailableError',
      message: expect.stringContaining('refused the credentials'),
    });
  });
});
