import { describe, expect, it } from 'vitest';
import { LockProcess } from '../support/lock-process.js';
import { repeats } from '../support/repeats.js';
import { ZooKeeperEnsemble } from '../support/zookeeper-ensemble.js';

/** The client needs three eighths of it to notice the stop and to connect to another server. */
const SESSION_TIMEOUT_MS = 10_000;
const TIMEOUT_MS = (1 + repeats(1)) * 60_000;

describe('a holder whose attached follower is stopped', { timeout: TIMEOUT_MS }, () => {
  it('moves to another server in time and keeps its lock', async () => {
    for (let i = 0; i < repeats(1); i += 1) {
      await using ensemble = await ZooKeeperEnsemble.start();
      const leader = await ensemble.leader();
      // The loss of the leader would cause an election, which another test covers.
      const followers = ensemble.allBut(leader);
      await using holder = await LockProcess.start({
        connectString: followers.map(({ connectString }) => connectString).join(','),
        sessionTimeout: SESSION_TIMEOUT_MS,
      });
      const attached = await holder.told('connection');
      const follower = followers.find(({ connectString }) => attached.detail === `ready ${connectString}`)!;
      await holder.lock('hold', 'payments');

      follower.pause();
      const resumed = await holder.told('connection', ({ detail }) => detail!.startsWith('resumed'));

      expect(resumed.detail).not.toContain(follower.connectString);
      expect(await holder.call({ type: 'isHeld' }, 'hold')).toBe(true);
      expect(holder.history.filter(({ what }) => what === 'signalAborted')).toEqual([]);
      follower.resume();
    }
  });
});
