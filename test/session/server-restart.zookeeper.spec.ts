import { describe, expect, it } from 'vitest';
import { ProxiedLocks } from '../faults/proxied-locks.js';
import { createLockService } from '../../lib/index.js';
import { eventually } from '../support/eventually.js';
import { freePort } from '../support/free-port.js';
import { ZooKeeperServer } from '../support/zookeeper-server.js';

describe('a server that restarts', () => {
  it('keeps all locks if it is back within the session timeout', async () => {
    await using server = await ZooKeeperServer.start();
    await using setup = await ProxiedLocks.start(server);
    const held = await setup.locks.lock('order');

    await server.kill();
    await eventually(() => setup.count('suspended') === 1);
    await server.restart();
    await eventually(() => setup.count('resumed') >= 1);

    expect(held.isHeld()).toBe(true);
    expect(await held.release()).toBe(true);
  });

  it('loses the lock if it is away for longer, at the deadline', async () => {
    await using server = await ZooKeeperServer.start();
    await using setup = await ProxiedLocks.start(server, { sessionTimeout: 1_000 });
    const held = await setup.locks.lock('order');

    await server.kill();
    await eventually(() => held.signal.aborted);

    expect(held.isHeld()).toBe(false);
    expect(setup.count('lost')).toBe(1);
    await server.restart();
    await eventually(() => setup.count('resumed') + setup.count('ready') >= 1);
    expect(held.isHeld()).toBe(false);
  });
});

describe('no server', () => {
  it('fails an acquisition, and a later one succeeds once there is a server (H26)', async () => {
    const port = await freePort();
    const locks = await createLockService({ host: '127.0.0.1', port, lazy: true, connectTimeout: 500 });

    await expect(locks.lock('order')).rejects.toMatchObject({
      name: 'LockUnavailableError',
      retryAfterMs: 1_000,
    });
    await expect(locks.lock('order', { wait: 200 })).rejects.toMatchObject({ name: 'LockUnavailableError' });
    await expect(locks.tryLock('order')).rejects.toMatchObject({ name: 'LockUnavailableError' });

    await using _server = await ZooKeeperServer.start({ port });
    const held = await eventually(async () => locks.lock('order').catch(() => null));
    expect(held.isHeld()).toBe(true);
    await held.release();
    await locks.close();
  });
});
