import { setTimeout as sleep } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { createLockService } from '../../lib/index.js';
import { FaultProxy } from '../support/fault-proxy.js';
import { repeats } from '../support/repeats.js';
import { ZooKeeperEnsemble } from '../support/zookeeper-ensemble.js';

const SESSION_TIMEOUT_MS = 10_000;

/**
 * The narrowest chain known: heartbeat k-2 is late, k-1 is acknowledged, and then the link between follower and leader
 * stalls in one direction, then in the other. If k-1 left right after the acknowledgement of k-2, no ping of the leader would come
 * between them, the touch of k-2 would be lost, and the acknowledgement of k would prove nothing.
 */
it(
  'a late heartbeat and two stalls do not make two holders (H31)',
  { timeout: (1 + repeats(1)) * 60_000 },
  async () => {
    await using ensemble = await ZooKeeperEnsemble.start({ stallableLinks: true, syncLimit: 20 });
    const leader = await ensemble.leader();
    const [follower] = ensemble.allBut(leader);
    const link = ensemble.link(follower!, leader);
    for (let i = 0; i < repeats(1); i += 1) {
      await using proxy = await FaultProxy.start(follower!);
      const holder = await createLockService({
        connectString: proxy.connectString,
        sessionTimeout: SESSION_TIMEOUT_MS,
      });
      const rival = await createLockService({ connectString: leader.connectString });
      const held = await holder.lock('payments');
      const granted = rival.lock('payments').then(() => held.isHeld());

      await proxy.waitFor('multi', { direction: 'reply', occurrence: 3 });
      const sent = proxy.count('multi');
      const late = proxy.once('multi', 'holdRequest');
      await late.held;
      await sleep(0.23 * SESSION_TIMEOUT_MS);
      late.release();
      await proxy.waitFor('multi', { direction: 'reply', occurrence: sent + 2 });
      link.stall('toFollower');
      await proxy.waitFor('multi', { occurrence: sent + 3 });
      await sleep(0.22 * SESSION_TIMEOUT_MS);
      link.stall('toLeader');
      link.heal('toFollower');

      expect(await granted).toBe(false);
      link.heal();
      await Promise.all([holder.close(), rival.close()]);
    }
  },
);
