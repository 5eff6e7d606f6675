import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { createLockService } from '../../lib/index.js';
import { EventRecorder } from '../fixtures/event-recorder.js';
import { eventually } from '../support/eventually.js';
import { FaultProxy } from '../support/fault-proxy.js';
import { ZooKeeperServer } from '../support/zookeeper-server.js';

const SHORT_SESSION_MS = 4_000;
const LONG_SESSION_MS = 20_000;

/** Servers keep the timeout with which a session was created, and after a start they know no other one. */
it('a session that is continued with a longer timeout is trusted for the shorter one', async () => {
  const dataDir = await mkdtemp(join(tmpdir(), 'longer-sessions-'));
  onTestFinished(() => rm(dataDir, { recursive: true, force: true }));
  await using cautious = await ZooKeeperServer.start({ dataDir, maxSessionTimeout: SHORT_SESSION_MS });
  await using proxy = await FaultProxy.start(cautious);
  await using holder = await createLockService({
    connectString: proxy.connectString,
    sessionTimeout: LONG_SESSION_MS,
    drainTimeout: 0,
  });
  const events = new EventRecorder(holder);
  await cautious.kill();
  await using generous = await ZooKeeperServer.start({ dataDir, port: cautious.port });
  await eventually(() => events.types.includes('resumed'));

  const held = await holder.lock('payments');
  // The deadline counts from the last but one of these.
  await proxy.waitFor('multi', { direction: 'reply', occurrence: proxy.count('multi', 'reply') + 3 });
  expect(held.isHeld()).toBe(true);
  proxy.refuse();
  await generous.restart();
  await using rival = await createLockService({
    connectString: generous.connectString,
    sessionTimeout: LONG_SESSION_MS,
    drainTimeout: 0,
  });
  await rival.lock('payments');
  expect(held.isHeld()).toBe(false);
  expect(events.types).not.toContain('sessionExpired');
});
