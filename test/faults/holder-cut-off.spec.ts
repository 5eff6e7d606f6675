import { describe, expect, it } from 'vitest';
import { FaultProxy } from '../support/fault-proxy.js';
import type { HistoryEvent } from '../support/lock-history.js';
import { LockProcess } from '../support/lock-process.js';
import { repeats } from '../support/repeats.js';
import { ZooKeeperEnsemble } from '../support/zookeeper-ensemble.js';
import { ZooKeeperServer } from '../support/zookeeper-server.js';

const RESOURCE = 'payments';

/** Starts a holder and a rival that waits for it, cuts the holder off, and returns the two moments that matter. */
async function cutOff(
  holderConnects: string,
  rivalConnects: string,
  sessionTimeout: number,
  cut: () => void | Promise<void>,
): Promise<{ lost: HistoryEvent; granted: HistoryEvent }> {
  await using holder = await LockProcess.start({ connectString: holderConnects, sessionTimeout });
  await using rival = await LockProcess.start({ connectString: rivalConnects, sessionTimeout: 10_000 });
  await holder.lock('hold', RESOURCE);
  const rivalGranted = rival.lock('rival', RESOURCE);
  await using onlooker = await LockProcess.start({ connectString: rivalConnects, sessionTimeout: 10_000 });
  await onlooker.queueLength(RESOURCE, 2);

  await cut();
  await rivalGranted;
  return { lost: await holder.told('signalAborted'), granted: await rival.told('acquired') };
}

function expectToldFirst({ lost, granted }: { lost: HistoryEvent; granted: HistoryEvent }): void {
  expect(lost.detail).toContain("LockLostError: Lock 'payments' was lost (session)");
  expect(lost.at < granted.at).toBe(true);
}

describe('a holder that is cut off knows that its lock is lost before the rival is granted it (H29, H30, H31)', () => {
  it('behind a black hole in front of a single server', async () => {
    await using server = await ZooKeeperServer.start();
    for (let i = 0; i < repeats(1); i += 1) {
      await using proxy = await FaultProxy.start(server);
      expectToldFirst(
        await cutOff(proxy.connectString, server.connectString, 2_000, () => proxy.blackHole()),
      );
    }
  });

  it('connected to a follower that the leader cannot hear any more', async () => {
    await using ensemble = await ZooKeeperEnsemble.start({ stallableLinks: true, syncLimit: 20 });
    const leader = await ensemble.leader();
    const [follower] = await ensemble.followers();
    for (let i = 0; i < repeats(1); i += 1) {
      const link = ensemble.link(follower!, leader);
      const moments = await cutOff(follower!.connectString, leader.connectString, 3_000, () => {
        link.stall('toLeader');
        link.stall('toFollower');
      });
      link.heal();
      expectToldFirst(moments);
    }
  });

  it('connected to a follower whose link stalls in one direction, then in the other', async () => {
    const sessionTimeout = 3_000;
    await using ensemble = await ZooKeeperEnsemble.start({ stallableLinks: true, syncLimit: 20 });
    const leader = await ensemble.leader();
    const [follower] = await ensemble.followers();
    for (let i = 0; i < repeats(1); i += 1) {
      const link = ensemble.link(follower!, leader);
      const moments = await cutOff(
        follower!.connectString,
        leader.connectString,
        sessionTimeout,
        async () => {
          // Acknowledgements are kept back for 0.6 T and then arrive together, while nothing reaches the leader any more.
          link.stall('toFollower');
          await new Promise((resolve) => setTimeout(resolve, 0.6 * sessionTimeout));
          link.stall('toLeader');
          link.heal('toFollower');
        },
      );
      link.heal();
      expectToldFirst(moments);
    }
  });
});
