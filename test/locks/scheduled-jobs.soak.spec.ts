import { expect, it } from 'vitest';
import { ZooKeeperServer } from '../support/zookeeper-server.js';
import { CronReplicas } from './cron-replicas.js';
import { violations } from './cron-violations.js';

const INTERVAL_MS = 1_000;
const COMPLETED = 200;
const BETWEEN_KILLS = 10;

it('200 scheduled times, one in each second, have one completed run each, despite 19 kills', async () => {
  await using server = await ZooKeeperServer.start();
  await using replicas = await CronReplicas.start({
    connectString: server.connectString,
    cron: '* * * * * *',
    workMs: 100,
    // By half the interval.
    skews: [-0.25, 0, 0.25],
  });
  let kills = 0;
  for (let count = BETWEEN_KILLS; count < COMPLETED; count += BETWEEN_KILLS) {
    await replicas.completed(count);
    await replicas.killRunner();
    kills += 1;
  }
  await replicas.completed(COMPLETED);

  const { runs } = replicas;
  const completed = runs.filter(({ ended }) => ended !== undefined);
  const interrupted = runs.length - completed.length;
  const replicasOf = new Set(completed.map(({ replica }) => replica));
  console.log(
    `${completed.length} completed runs in ${replicasOf.size} replicas, ${interrupted} interrupted ones, ${kills} kills`,
  );
  expect(interrupted).toBe(kills);
  expect(violations(runs, INTERVAL_MS)).toEqual([]);
}, 600_000);
