import { expect, it } from 'vitest';
import { startTestServer } from '../support/test-server.js';
import { herdTraffic, NEAR_THE_HEAD } from './herd.js';

const WAITERS = 40;
const RELEASES = 10;

it('waiters are woken one by one, with one notification and at most one list for each release (H16)', async () => {
  await using server = await startTestServer();
  const { watched, notified, lists } = await herdTraffic(server, {
    waiters: WAITERS,
    releases: RELEASES,
    sessionTimeout: 30_000,
  });

  expect(new Set(watched).size).toBe(WAITERS);
  // The holder and the first waiters were near the head.
  const awayFromTheHead = RELEASES - NEAR_THE_HEAD - 1;
  expect(notified).toHaveLength(awayFromTheHead);
  expect(new Set(notified).size).toBe(awayFromTheHead);
  expect(lists).toBeLessThanOrEqual(RELEASES);
});
