import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { FaultProxy } from '../support/fault-proxy.js';
import type { HistoryEvent } from '../support/lock-history.js';
import { LockProcess } from '../support/lock-process.js';
import { repeats } from '../support/repeats.js';
import type { TcpLink } from '../support/tcp-link.js';
import { ZooKeeperEnsemble } from '../support/zookeeper-ensemble.js';
import { startTestServer } from '../support/test-server.js';

const RESOURCE = 'payments';
/** Long enough that a process or a server can stall for a while before the cut and lose no session. */
const SESSION_TIMEOUT_MS = 9_000;
/** Ticks of 500 ms: no server drops another one before the session ends. */
const SYNC_LIMIT = 60;
/** A stall of the holder, which checks every 5 ms whether it still holds the lock. */
const STALL_NS = 50_000_000n;

interface Moments {
  readonly lastHeld: HistoryEvent;
  readonly lost: HistoryEvent;
  readonly granted: HistoryEvent;
}

/** Starts a holder and a rival that waits for it, cuts the holder off, and resolves with the moments to compare. */
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

/** The signal of a process that is stalled at its deadline aborts later, although it does not hold the lock any more. */
function expectKnownFirst({ lastHeld, lost, granted }: Moments): void {
  expect(lost.detail).toContain("LockLostError: Lock 'payments' was lost (session)");
  expect(lastHeld.at < granted.at).toBe(true);
  const stalled = lost.at - lastHeld.at > STALL_NS;
  expect(lost.at < granted.at || stalled).toBe(true);
}

/** The holder is connected to a follower, the rival to its leader; `stall` disturbs the link between these servers. */
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
      await using server = await startTestServer();
      for (let i = 0; i < repeats(1); i += 1) {
        await using proxy = await FaultProxy.start(server);
        expectKnownFirst(await cutOff(proxy.connectString, server.connectString, () => proxy.blackHole()));
      }
    });

    it('connected to a follower whose messages no longer reach the leader', () =>
      cutOffBehindFollower((link) => {
        link.stall('toLeader');
        link.stall('toFollower');
      }));

    it('connected to a follower whose link stalls in one direction, then in the other', () =>
      cutOffBehindFollower(async (link) => {
        // Acknowledgements are delayed for 0.6 T and then arrive together, while nothing reaches the leader any more.
        link.stall('toFollower');
        await sleep(0.6 * SESSION_TIMEOUT_MS);
        link.stall('toLeader');
        link.heal('toFollower');
      }));
  },
);
