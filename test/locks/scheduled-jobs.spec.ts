import { expect, it } from 'vitest';
import { EmbeddedZooKeeper, type SessionInfo } from '../../lib/testing/index.js';
import { eventually } from '../support/eventually.js';
import { CronReplicas } from './cron-replicas.js';
import { violations } from './cron-violations.js';

const TICK_MS = 500;
const SESSION_TIMEOUT_MS = 4_000;

it('a scheduled time whose runner was killed with -9 is run by another replica as soon as the session has timed out', async () => {
  await using zookeeper = await EmbeddedZooKeeper.start({
    time: 'manual',
    tickTime: TICK_MS,
    onNotice: false,
  });
  await using replicas = await CronReplicas.start({
    connectString: zookeeper.connectString,
    sessionTimeout: SESSION_TIMEOUT_MS,
    crashGuard: false,
    cron: '*/2 * * * * *',
    workMs: 0,
    skews: [0, 0],
  });
  const contenders = () => zookeeper.ephemerals().filter(({ path }) => path.startsWith('/locks/job/'));
  await replicas.hold();
  await eventually(() => contenders().length === 2);
  const [head] = contenders().sort((one, other) => (one.czxid < other.czxid ? -1 : 1));
  const runner = (): SessionInfo | undefined => zookeeper.sessions.find(({ id }) => id === head!.session);
  const replica = await replicas.kill();
  await replicas.letGo();
  await eventually(() => runner()?.connected === false);
  const before = replicas.runs.length;
  /** The other replica is in contact all the time. */
  const advance = async (ms: number): Promise<void> => {
    await zookeeper.advance(ms);
    zookeeper.clearRequests();
    await eventually(() => zookeeper.requests.some(({ session }) => session !== head!.session));
  };

  await advance(SESSION_TIMEOUT_MS / 2);
  await advance(SESSION_TIMEOUT_MS / 2 - 1);
  expect(runner()).toBeDefined();
  expect(replicas.runs).toHaveLength(before);

  // The server counts in ticks.
  await zookeeper.advance(1 + TICK_MS);
  expect(runner()).toBeUndefined();
  await replicas.completed(before);
  const [killed, repeated] = replicas.runs.slice(before - 1);
  expect(killed).toMatchObject({ replica, ended: undefined });
  expect(repeated).toMatchObject({ tick: killed!.tick, previous: killed!.previous });
  expect(repeated!.replica).not.toBe(replica);
  expect(violations(replicas.runs, Infinity)).toEqual([]);
});
