import { expect, it } from 'vitest';
import { ZooKeeperServer } from '../support/zookeeper-server.js';
import { herdTraffic, NEAR_THE_HEAD } from './herd.js';

const WAITERS = 500;
const RELEASES = 20;
/** Long enough that no connection times out because the machine is busy. */
const SESSION_TIMEOUT_MS = 600_000;

it('500 waiters are woken one by one, with one notification and at most one list for each release (H16)', async () => {
  await using server = await ZooKeeperServer.start({ maxSessionTimeout: SESSION_TIMEOUT_MS });
  const { watched, notified, lists } = await herdTraffic(server, {
    waiters: WAITERS,
    releases: RELEASES,
    sessionTimeout: SESSION_TIMEOUT_MS,
  });

  expect(new Set(watched).size).toBe(WAITERS);
  // The holder and the first waiters were near the head.
  const awayFromTheHead = RELEASES - NEAR_THE_HEAD - 1;
  expect(notified).toHaveLength(awayFromTheHead);
  expect(new Set(notified).size).toBe(awayFromTheHead);
  expect(lists).toBeLessThanOrEqual(RELEASES);
}, 300_000);
