import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { FaultProxy } from '../support/fault-proxy.js';
import type { HistoryEvent } from '../support/lock-history.js';
import { LockProcess } from '../support/lock-process.js';
import { repeats } from '../support/repeats.js';
import type { TcpLink } from '../support/tcp-link.js';
import { ZooKeeperEnsemble } from '../support/zookeeper-ensemble.js';
import { ZooKeeperServer } from '../support/zookeeper-server.js';

const RESOURCE = 'payments';
/** Long enough for a process or a server to stand still for a while before the cut, and lose nothing. */
const SESSION_TIMEOUT_MS = 9_000;
/** Ticks of 500 ms: no server gives up another one before the session ends. */
const SYNC_LIMIT = 60;
/** The holder looks every 5 ms whether it still holds. */
const STANDSTILL_NS = 50_000_000n;

interface Moments {
  readonly lastHeld: HistoryEvent;
  readonly lost: HistoryEvent;
  readonly granted: HistoryEvent;
}

/** Starts a holder and a rival that waits for it, cuts the holder off, and returns the moments that matter. */
async function cutOff(
  holderConnects: string,
  rivalConnects: string,
  cut: () => void | Promise<void>,
): Promise<Moments> {
  await using holder = await LockProcess.start({
    connectString: holderConnects,
    sessionTimeout: SESSION_TIMEOUT_MS,
  });
  await using rival = await LockProcess.start({ connectString: rivalConnects });
  await holder.lock('hold', RESOURCE);
  const rivalGranted = rival.lock('rival', RESOURCE);
  await using onlooker = await LockProcess.start({ connectString: rivalConnects });
  await onlooker.queueLength(RESOURCE, 2);

  await cut();
  await rivalGranted;
  return {
    lastHeld: await holder.told('lastHeld'),
    lost: await holder.told('signalAborted'),
    granted: await rival.told('acquired'),
  };
}

/** A process that stands still when its time is up hears its signal later, though it cannot hold any more. */
function expectKnownFirst({ lastHeld, lost, granted }: Moments): void {
  expect(lost.detail).toContain("LockLostError: Lock 'payments' was lost (session)");
  expect(lastHeld.at < granted.at).toBe(true);
  const stoodStill = lost.at - lastHeld.at > STANDSTILL_NS;
  expect(lost.at < granted.at || stoodStill).toBe(true);
}

/** The holder is connected to a follower, the rival to its leader, and the link between the two is what `stall` disturbs. */
async function cutOffBehindFollower(stall: (link: TcpLink) => void | Promise<void>): Promise<void> {
  await using ensemble = await ZooKeeperEnsemble.start({ stallableLinks: true, syncLimit: SYNC_LIMIT });
  const leader = await ensemble.leader();
  const [follower] = ensemble.allBut(leader);
  const link = ensemble.link(follower!, leader);
  for (let i = 0; i < repeats(1); i += 1) {
    const moments = await cutOff(follower!.connectString, leader.connectString, () => stall(link));
    link.heal();
    expectKnownFirst(moments);
  }
}

const TIMEOUT = { timeout: (1 + repeats(1)) * 60_000 };

describe(
  'a holder that is cut off knows that its lock is lost before the rival is granted it (H29, H30, H31)',
  TIMEOUT,
  () => {
    it('behind a black hole in front of a single server', async () => {
      await using server = await ZooKeeperServer.start();
      for (let i = 0; i < repeats(1); i += 1) {
        await using proxy = await FaultProxy.start(server);
        expectKnownFirst(await cutOff(proxy.connectString, server.connectString, () => proxy.blackHole()));
      }
    });

    it('connected to a follower that the leader cannot hear any more', () =>
      cutOffBehindFollower((link) => {
        link.stall('toLeader');
        link.stall('toFollower');
      }));

    it('connected to a follower whose link stalls in one direction, then in the other', () =>
      cutOffBehindFollower(async (link) => {
        // Acknowledgements are kept back for 0.6 T and then arrive together, while nothing reaches the leader any more.
        link.stall('toFollower');
        await sleep(0.6 * SESSION_TIMEOUT_MS);
        link.stall('toLeader');
        link.heal('toFollower');
      }));
  },
);
