import { afterAll, beforeAll, expect, test } from 'vitest';
import { SystemClock } from '../../lib/locking/clock.js';
import { parseConnectString } from '../../lib/zookeeper/connect-string.js';
import { closeSession } from '../../lib/zookeeper/guard/close-session.js';
import { EPHEMERAL, openClient } from '../client/client-harness.js';
import { FaultProxy } from '../support/fault-proxy.js';
import { startTestServer, type TestServer } from '../support/test-server.js';

/** Where the answer to a connect request has the timeout: behind its length and the version. */
const TIMEOUT_AT = 8;

let server: TestServer;
beforeAll(async () => {
  server = await startTestServer();
});
afterAll(() => server.giveBack());

test('a guard does not prolong the session that it cannot end', async () => {
  await using proxy = await FaultProxy.start(server);
  await using opened = await openClient(server, { sessionTimeout: 40_000 });
  const { client } = opened;
  await client.create('/guarded', EPHEMERAL);
  proxy.once('closeSession', 'dropRequest');
  let granted = 0;
  const answer = proxy.rewriteReply('connect', (frame) => {
    granted = frame.readInt32BE(TIMEOUT_AT);
    return frame;
  });
  const resume = {
    sessionId: client.sessionId,
    password: client.sessionPassword,
    sessionTimeout: opened.listener.connections[0]!.sessionTimeout,
  };
  const closing = closeSession(resume, 1_000, {
    clock: new SystemClock(),
    servers: parseConnectString(proxy.connectString).servers,
    auth: [],
  });
  await Promise.all([answer.fired, closing]);
  // Its shortest timeout, from then on.
  expect(granted).toBeGreaterThan(0);
  expect(granted).toBeLessThan(resume.sessionTimeout / 2);
});
