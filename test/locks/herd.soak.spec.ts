import { expect, it } from 'vitest';
import { ZooKeeperServer } from '../support/zookeeper-server.js';
import { herdTraffic } from './herd.js';

const WAITERS = 500;
const RELEASES = 20;
/** Long enough that no connection times out because the machine is busy. */
const SESSION_TIMEOUT_MS = 600_000;

it('500 waiters are woken one by one, with one notification and one list for each release (H16)', async () => {
  await using server = await ZooKeeperServer.start({ maxSessionTimeout: SESSION_TIMEOUT_MS });
  const { watched, notified, lists } = await herdTraffic(server, {
    waiters: WAITERS,
    releases: RELEASES,
    sessionTimeout: SESSION_TIMEOUT_MS,
  });

  expect(new Set(watched).size).toBe(WAITERS);
  expect(notified).toHaveLength(RELEASES);
  expect(new Set(notified).size).toBe(RELEASES);
  expect(lists).toBe(RELEASES);
}, 300_000);
