import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { createLockService, type LockEvent, type LockService } from '../../lib/index.js';
import { eventually } from '../support/eventually.js';
import { ZooKeeperEnsemble } from '../support/zookeeper-ensemble.js';

/** The session must outlast an election or the start of two servers, which are slow on a busy machine. */
const SESSION_TIMEOUT_MS = 80_000;
const PATIENCE = { timeoutMs: 60_000 };

describe('an ensemble', { timeout: 240_000 }, () => {
  let ensemble: ZooKeeperEnsemble;
  let locks: LockService;
  let events: LockEvent[];

  beforeAll(async () => {
    ensemble = await ZooKeeperEnsemble.start({ maxSessionTimeout: SESSION_TIMEOUT_MS });
  });

  afterAll(() => ensemble.stop());

  // Each test starts the servers again that it has killed.
  beforeEach(async () => {
    locks = await createLockService({
      connectString: ensemble.connectString,
      sessionTimeout: SESSION_TIMEOUT_MS,
      drainTimeout: 0,
    });
    events = [];
    locks.events$.subscribe((event) => events.push(event));
  });

  afterEach(() => locks.close());

  const count = (type: LockEvent['type']): number => events.filter((event) => event.type === type).length;

  it('that loses its leader keeps all locks', async () => {
    const held = await locks.lock('order');
    const leader = await ensemble.leader();

    await leader.kill();
    await eventually(() => count('resumed') >= 1 && locks.state === 'connected', PATIENCE);

    expect(held.isHeld()).toBe(true);
    const waiter = locks.lock('order');
    await eventually(async () => (await locks.inspect('order')).waiters.length === 1);
    expect(await held.release()).toBe(true);
    expect(await (await waiter).release()).toBe(true);
    await leader.restart();
  });

  it('without a quorum grants nothing, and has the same locks once it has a quorum again', async () => {
    const held = await locks.lock('order');
    const leader = await ensemble.leader();
    const followers = ensemble.allBut(leader);

    await Promise.all(followers.map((follower) => follower.kill()));
    await eventually(() => count('suspended') >= 1);
    await expect(locks.lock('other', { wait: 500 })).rejects.toMatchObject({ name: 'LockUnavailableError' });
    await Promise.all(followers.map((follower) => follower.restart()));
    await eventually(() => locks.state === 'connected', PATIENCE);

    expect(held.isHeld()).toBe(true);
    expect(await held.release()).toBe(true);
  });

  it('that stops completely and starts again keeps the session and its locks', async () => {
    const held = await locks.lock('order');

    await Promise.all(ensemble.servers.map((server) => server.kill()));
    await eventually(() => count('suspended') >= 1);
    await Promise.all(ensemble.servers.map((server) => server.restart()));
    await eventually(() => locks.state === 'connected', PATIENCE);

    // A new leader restarts the timeout of every session; the holder counts from the last acknowledgement.
    expect(count('sessionExpired')).toBe(0);
    expect(await held.release()).toBe(!held.signal.aborted);
    const again = await locks.lock('order');
    expect(again.fencingToken).toBeGreaterThan(held.fencingToken);
    await again.release();
  });
});
