import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { LockUnavailableError } from '../../lib/index.js';
import { Replica } from '../fixtures/replica.js';
import { eventually } from '../support/eventually.js';
import { ZooKeeperEnsemble } from '../support/zookeeper-ensemble.js';
import { startTestServer, type TestServer } from '../support/test-server.js';
import type { ZooKeeperServer } from '../support/zookeeper-server.js';
import { ProxiedLocks } from './proxied-locks.js';

describe('an attempt without a wait, on a follower that lags behind its leader', () => {
  let ensemble: ZooKeeperEnsemble;
  let leader: ZooKeeperServer;
  let follower: ZooKeeperServer;

  beforeAll(async () => {
    ensemble = await ZooKeeperEnsemble.start({ stallableLinks: true, syncLimit: 60 });
    leader = await ensemble.leader();
    follower = ensemble.allBut(leader)[0]!;
  });

  afterAll(async () => ensemble.stop());

  const replica = ({ root }: ProxiedLocks): Promise<Replica> =>
    Replica.open({ connectString: leader.connectString, root });

  /** The outcome of `attempt` if the follower answers its first read before it has received `release`. */
  async function afterUnheard<T>(
    setup: ProxiedLocks,
    release: () => Promise<unknown>,
    attempt: () => Promise<T>,
  ): Promise<T> {
    const link = ensemble.link(follower, leader);
    const reads = setup.proxy.count('getChildren2', 'reply');
    link.stall('toFollower');
    try {
      await release();
      const attempted = attempt();
      attempted.catch(() => {});
      await setup.proxy.waitFor('getChildren2', { direction: 'reply', occurrence: reads + 1 });
      link.heal();
      return await attempted;
    } finally {
      link.heal();
    }
  }

  it('is granted a lock whose release was confirmed before', async () => {
    await using setup = await ProxiedLocks.start(follower);
    const rival = await replica(setup);
    const held = await rival.hold('order');
    await eventually(async () => expect(await setup.contenders('order')).toHaveLength(1));

    const granted = await afterUnheard(
      setup,
      () => held.release(),
      () => setup.locks.tryLock('order'),
    );

    expect(granted?.isHeld()).toBe(true);
  });

  it('names the current holder, not the previous one', async () => {
    await using setup = await ProxiedLocks.start(follower);
    const [rival, next] = await Promise.all([replica(setup), replica(setup)]);
    const held = await rival.hold('order');
    const waiting = next.hold('order', { owner: 'next' });
    await eventually(async () => expect(await setup.contenders('order')).toHaveLength(2));

    const refused = afterUnheard(
      setup,
      async () => (await held.release()) && (await waiting),
      () => setup.locks.lock('order', { wait: 0 }),
    );

    await expect(refused).rejects.toThrow("Lock 'order' is busy, held by next.");
  });
});

describe('an attempt without a wait', () => {
  it('names the holder of a queue that has come after its list', async () => {
    await using setup = await ProxiedLocks.start(server);
    const creation = setup.proxy.once('create2', 'holdRequest');
    const refused = setup.locks.lock('order', { wait: 0 });
    await creation.held;
    await setup.others.lock('order', { owner: 'holder' });
    for (const count of [2, 3]) {
      void setup.others.lock('order', { owner: `waiter ${count}` }).catch(() => {});
      await setup.hasContenders('order', count);
    }
    creation.release();
    await expect(refused).rejects.toThrow("Lock 'order' is busy, held by holder.");
  });

  let server: TestServer;

  beforeAll(async () => {
    server = await startTestServer();
  });

  afterAll(async () => server.giveBack());

  /** Types of the requests that `attempt` sends. */
  async function requestsOf(setup: ProxiedLocks, attempt: () => Promise<unknown>): Promise<string[]> {
    // The next heartbeat is seconds away.
    await setup.proxy.waitFor('multi', { direction: 'reply' });
    const before = setup.proxy.frames.length;
    await attempt();
    return setup.proxy.frames
      .slice(before)
      .filter(({ direction }) => direction === 'request')
      .map(({ type }) => type);
  }

  it('reads once before it creates its contender if the lock is free', async () => {
    await using setup = await ProxiedLocks.start(server);
    await (await setup.others.lock('order')).release();

    const requests = await requestsOf(setup, () => setup.locks.tryLock('order'));

    expect(requests.filter((type) => type === 'multi')).toEqual([]);
    expect(requests[0]).toBe('getChildren2');
  });

  it('creates nothing if the lock is busy', async () => {
    await using setup = await ProxiedLocks.start(server);
    await setup.others.lock('order');

    const requests = await requestsOf(setup, () => setup.locks.tryLock('order'));

    expect(requests).toEqual(['getChildren2', 'multi', 'getChildren2']);
  });
});

describe('a wait that ends in the queue', () => {
  /** A heartbeat is sent every 4 s. If it is not answered within 6 s, the connection is ended. */
  const SESSION_TIMEOUT_MS = 24_000;
  /** Longer than the interval between heartbeats, and too short to notice a dead link. */
  const WAIT_MS = 7_000;

  it('behind a dead link that is not noticed yet is not a timeout: it is unknown whether the lock is busy', async () => {
    await using server = await startTestServer();
    await using setup = await ProxiedLocks.start(server, { sessionTimeout: SESSION_TIMEOUT_MS });
    await setup.others.lock('order');
    await setup.proxy.waitFor('multi', { direction: 'reply' });

    const trying = setup.locks.tryLock('order', { wait: WAIT_MS });
    trying.catch(() => {});
    await eventually(() => setup.count('waiting') === 1);
    setup.proxy.blackHole();

    await expect(trying).rejects.toThrow(LockUnavailableError);
    expect(setup.count('suspended')).toBe(0);
  });
});
