import { expect, it } from 'vitest';
import { eventually } from '../support/eventually.js';
import { isRunning } from '../support/process-table.js';
import { RawSession } from '../support/raw-session.js';
import { startTestServer } from '../support/test-server.js';
import { ZooKeeperServer } from '../support/zookeeper-server.js';
import { CronReplicas, type Run } from './cron-replicas.js';
import { violations } from './cron-violations.js';

const INTERVAL_MS = 2_000;
const COMPLETED = 12;
const TICK_MS = 500;
const SESSION_TIMEOUT_MS = 4_000;
/** Added to the bound of the protocol: the noise of the machine. */
const NOISE_MS = 10_000;

it('a job runs once at each scheduled time, by replicas whose clocks differ and of which some are killed', async () => {
  await using server = await startTestServer();
  await using replicas = await CronReplicas.start({
    connectString: server.connectString,
    cron: '*/2 * * * * *',
    workMs: 300,
    // By half the interval.
    skews: [-0.5, 0, 0.5],
  });
  await replicas.completed(3);
  await replicas.killRunner();
  await replicas.killRunner();
  await replicas.completed(COMPLETED);

  const { runs } = replicas;
  expect(violations(runs, INTERVAL_MS)).toEqual([]);
  const isGoingOn = (run: Run): boolean => run === runs.at(-1) && isRunning(run.pid);
  expect(runs.filter((run) => run.ended === undefined && !isGoingOn(run))).toHaveLength(2);
}, 180_000);

it('a scheduled time is run by another replica within T and two ticks of the kill -9 of its runner', async () => {
  await using server = await ZooKeeperServer.start({ tickTime: TICK_MS });
  await using replicas = await CronReplicas.start({
    connectString: server.connectString,
    sessionTimeout: SESSION_TIMEOUT_MS,
    crashGuard: false,
    cron: '*/2 * * * * *',
    workMs: 0,
    skews: [-0.25, 0.25],
  });
  await using observer = await RawSession.connect(server);
  const contenders = (): Promise<string[]> => observer.getChildren('/locks/job');
  await replicas.hold();
  await eventually(async () => (await contenders()).length === 2);
  const killedAt = Number(process.hrtime.bigint()) / 1e6;
  await replicas.kill();
  await replicas.letGo();
  await eventually(() => replicas.runs.some(({ began }) => began > killedAt));

  const { runs } = replicas;
  const interrupted = runs.findIndex(({ ended }) => ended === undefined);
  const [killed, repeated] = runs.slice(interrupted);
  expect(repeated).toMatchObject({ tick: killed!.tick, previous: killed!.previous });
  expect(repeated!.replica).not.toBe(killed!.replica);
  expect(repeated!.began - killedAt).toBeLessThan(SESSION_TIMEOUT_MS + 2 * TICK_MS + NOISE_MS);
  await replicas.completed(interrupted + 2);
  expect(violations(replicas.runs, Infinity)).toEqual([]);
});
