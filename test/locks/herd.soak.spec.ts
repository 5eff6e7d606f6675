import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createLockService, type HeldLock, type LockService } from '../../lib/index.js';
import { eventually } from '../support/eventually.js';
import { FaultProxy } from '../support/fault-proxy.js';
import { ZooKeeperServer } from '../support/zookeeper-server.js';

const WAITERS = 500;
const RELEASES = 20;
/** A server sends one notification to a session, however many of its waiters watch the same node: hence several. */
const SESSIONS = 5;
const LOCK_PATH = '/herd/till';
/** No connection is given up because the machine is busy: its waiters would list and watch once more. */
const SESSION_TIMEOUT_MS = 600_000;

describe('500 waiters for one lock', { timeout: 300_000 }, () => {
  let server: ZooKeeperServer;
  let proxy: FaultProxy;
  let outsider: LockService;
  let services: LockService[];

  beforeAll(async () => {
    server = await ZooKeeperServer.start({ maxSessionTimeout: SESSION_TIMEOUT_MS });
    proxy = await FaultProxy.start(server);
    const options = { root: '/herd', sessionTimeout: SESSION_TIMEOUT_MS, drainTimeout: 0 };
    outsider = await createLockService({ ...options, connectString: server.connectString });
    services = await Promise.all(
      Array.from({ length: SESSIONS }, () =>
        createLockService({ ...options, connectString: proxy.connectString }),
      ),
    );
  });

  afterAll(async () => {
    await Promise.all([outsider, ...services].map((locks) => locks.close()));
    await proxy.stop();
    await server.stop();
  });

  it('are woken one by one, with one notification and one list for each release (H16)', async () => {
    const holder = await outsider.lock('till');
    let releases = 0;
    let grants = 0;
    /** Given back in the turn of the grant, long before a holder would watch its own node: all watches are the waiters'. */
    const passOn = (held: HeldLock): void => {
      grants += 1;
      if (releases < RELEASES) void held.release();
      releases += 1;
    };
    for (let i = 0; i < WAITERS; i += 1) {
      services[i % SESSIONS]!.lock('till').then(passOn, () => {});
    }
    await eventually(() => proxy.count('getData', 'reply') === WAITERS, { timeoutMs: 200_000 });
    const watched = proxy.frames.filter(
      ({ type, direction }) => type === 'getData' && direction === 'request',
    );
    const before = proxy.frames.length;

    releases += 1;
    await holder.release();
    await eventually(() => grants === RELEASES, { timeoutMs: 60_000 });
    // Answered after everything that the server had to tell before.
    await Promise.all(services.map((locks) => locks.inspect('nothing')));

    const since = proxy.frames.slice(before);
    const told = since.filter(({ direction }) => direction === 'notification');
    const lists = since.filter(
      ({ type, direction, path }) => type === 'getChildren2' && direction === 'request' && path === LOCK_PATH,
    );
    expect(new Set(watched.map(({ path }) => path)).size).toBe(WAITERS);
    expect(told).toHaveLength(RELEASES);
    expect(new Set(told.map(({ path }) => path)).size).toBe(RELEASES);
    expect(lists).toHaveLength(RELEASES);
  });
});
