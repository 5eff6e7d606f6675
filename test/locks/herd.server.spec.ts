import { expect, it } from 'vitest';
import { startTestServer } from '../support/test-server.js';
import { herdTraffic } from './herd.js';

const WAITERS = 40;
const RELEASES = 10;

it('waiters are woken one by one, with one notification and one list for each release (H16)', async () => {
  await using server = await startTestServer();
  const { watched, notified, lists } = await herdTraffic(server, {
    waiters: WAITERS,
    releases: RELEASES,
    sessionTimeout: 30_000,
  });

  expect(new Set(watched).size).toBe(WAITERS);
  expect(notified).toHaveLength(RELEASES);
  expect(new Set(notified).size).toBe(RELEASES);
  expect(lists).toBe(RELEASES);
});
