import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createLockService, type LockModuleOptions, type LockService } from '../../lib/index.js';
import { hasWaiters } from '../fixtures/has-waiters.js';
import { eventually } from '../support/eventually.js';
import { RawSession } from '../support/raw-session.js';
import { startTestServer, type TestServer } from '../support/test-server.js';

const REAP_INTERVAL_MS = 100;

describe('lock paths', { timeout: 300_000 }, () => {
  let server: TestServer;
  const services: LockService[] = [];

  beforeAll(async () => {
    server = await startTestServer({ containerCheckIntervalMs: REAP_INTERVAL_MS });
  });

  afterAll(async () => {
    await Promise.all(services.map((service) => service.close()));
    await server.giveBack();
  });

  async function service(root: string, options: LockModuleOptions = {}): Promise<LockService> {
    const locks = await createLockService({ connectString: server.connectString, root, ...options });
    services.push(locks);
    return locks;
  }

  /** Only for requests that follow at once: it sends no heartbeats. */
  const observing = (): Promise<RawSession> => RawSession.connect(server);

  it('are reaped by the server while clients create them again, and no acquisition fails (H23)', async () => {
    const services = await Promise.all(Array.from({ length: 4 }, () => service('/rotating')));
    let grants = 0;
    await Promise.all(
      services.map(async (locks, s) => {
        for (let i = 0; i < 100; i += 1) {
          await locks.withLock(`key-${(i * 7 + s) % 40}`, () => void (grants += 1));
        }
      }),
    );

    expect(grants).toBe(400);
  });

  it('of many new resources do not stay (H24)', async () => {
    const locks = await service('/many');
    await Promise.all(Array.from({ length: 500 }, (_, i) => locks.withLock(`key-${i}`, () => {})));

    await using observer = await observing();
    await eventually(async () => (await observer.exists('/many')) === null, {
      timeoutMs: 180_000,
      describe: 'the root of 500 lock paths to be reaped',
    });
  });

  it('leave their root behind if it is not for all clients, because anybody could make a new one', async () => {
    const shop = await service('/of-the-shop', { auth: { credential: 'shop:secret' } });
    await shop.withLock('order:42', () => {});
    const everybody = await service('/of-everybody');
    await everybody.withLock('order:42', () => {});
    await using observer = await observing();
    // First the lock paths, then the roots.
    await eventually(async () => (await observer.exists('/of-everybody')) === null);
    const stranger = await service('/of-the-shop', { lazy: true });
    await expect(stranger.lock('order:42')).rejects.toThrow('NO_AUTH');
    await shop.withLock('order:42', () => {});
  });

  it('never block each other, whatever their names (H21)', async () => {
    const locks = await service('/names');
    const names = ['b', 'a', 'a/b', '.', '..', '%', 'order:42', 'Ünïcødé', '🎭', ' ', 'zookeeper', '\u0000'];

    const held = await Promise.all(names.map((name) => locks.lock(name, { wait: 60_000 })));

    expect(held.map((hold) => hold.isHeld())).toEqual(names.map(() => true));
    await using observer = await observing();
    expect(await observer.getChildren('/names')).toHaveLength(names.length);
    await Promise.all(held.map((hold) => hold.release()));
  });

  it('serve fifty waiters in the order of their arrival', async () => {
    const locks = await service('/fair');
    const holder = await locks.lock('till');
    const served: number[] = [];
    const waiters: Promise<void>[] = [];
    for (let i = 0; i < 50; i += 1) {
      waiters.push(locks.withLock('till', () => void served.push(i)));
      await hasWaiters(locks, 'till', i + 1);
    }

    await holder.release();
    await Promise.all(waiters);

    expect(served).toEqual(Array.from({ length: 50 }, (_, i) => i));
  });

  it('give growing tokens, even after the path was deleted and created again', async () => {
    const locks = await service('/tokens');
    const first = await locks.lock('till');
    await first.release();
    await using observer = await observing();
    await eventually(async () => (await observer.exists('/tokens/till')) === null);
    const second = await locks.lock('till');

    expect(second.fencingToken).toBeGreaterThan(first.fencingToken);
    await second.release();
  });
});
