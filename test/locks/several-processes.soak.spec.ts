import { afterAll, beforeAll, expect, it } from 'vitest';
import { startTestServer, type TestServer } from '../support/test-server.js';
import { oppositeOrders } from './opposite-orders.js';

let server: TestServer;

beforeAll(async () => {
  server = await startTestServer();
});

afterAll(async () => server.giveBack());

it('1,000 rounds of the same locks in opposite orders come to no deadlock, even after a kill (H60)', async () => {
  const result = await oppositeOrders(server, { rounds: 1_000, killAfter: 300, sessionTimeout: 4_000 });
  expect(result).toEqual({ violations: [], grants: [3_000, 3_000] });
}, 600_000);
