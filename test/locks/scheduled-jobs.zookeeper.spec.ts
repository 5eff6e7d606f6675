import { expect, it } from 'vitest';
import { ZooKeeperServer } from '../support/zookeeper-server.js';
import { CronReplicas, violations } from './cron-replicas.js';

const INTERVAL_MS = 2_000;
const COMPLETED = 12;

it('a job runs once at each scheduled time, by replicas whose clocks differ and of which some are killed', async () => {
  await using server = await ZooKeeperServer.start();
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
  expect(runs.filter(({ ended }) => ended === undefined)).toHaveLength(2);
}, 180_000);
