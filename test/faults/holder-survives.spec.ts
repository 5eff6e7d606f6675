import { describe, expect, it } from 'vitest';
import { LockProcess } from '../support/lock-process.js';
import { repeats } from '../support/repeats.js';
import { ZooKeeperEnsemble } from '../support/zookeeper-ensemble.js';

const SESSION_TIMEOUT_MS = 6_000;

describe('a holder whose attached follower is stopped', () => {
  it('moves to another server in time and keeps its lock', async () => {
    for (let i = 0; i < repeats(1); i += 1) {
      await using ensemble = await ZooKeeperEnsemble.start();
      const followers = await ensemble.followers();
      await using holder = await LockProcess.start({
        connectString: ensemble.connectString,
        sessionTimeout: SESSION_TIMEOUT_MS,
      });
      const attached = await holder.told('connection');
      // The holder dials in random order; one that came to the leader is a case for an election, not for this test.
      const follower = followers.find(({ connectString }) => attached.detail === `ready ${connectString}`);
      if (follower === undefined) {
        i -= 1;
        continue;
      }
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
