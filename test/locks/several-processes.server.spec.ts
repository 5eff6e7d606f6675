import { afterAll, beforeAll, expect, it } from 'vitest';
import { startTestServer, type TestServer } from '../support/test-server.js';
import { oppositeOrders } from './opposite-orders.js';

let server: TestServer;

beforeAll(async () => {
  server = await startTestServer();
});

afterAll(async () => server.giveBack());

it('processes that want the same locks in opposite orders all get on, even after one was killed (H60)', async () => {
  const result = await oppositeOrders(server, { rounds: 60, killAfter: 10, sessionTimeout: 4_000 });
  expect(result).toEqual({ violations: [], grants: [180, 180] });
});
