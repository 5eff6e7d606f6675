import { expect, it } from 'vitest';
import { createLockService } from '../../lib/index.js';
import { EventRecorder } from '../fixtures/event-recorder.js';
import { freePort } from '../support/free-port.js';
import { startTestServer } from '../support/test-server.js';

// Servers refuse whoever has seen more transactions than they have, without a word.
it('a server that has lost its data ends the session, and grants locks again, though we have seen more than it has', async () => {
  const port = await freePort();
  const options = { connectString: `127.0.0.1:${port}`, sessionTimeout: 6_000, drainTimeout: 0 };
  const { locks, events } = await (async () => {
    await using _server = await startTestServer({ port });
    const locks = await createLockService(options);
    const events = new EventRecorder(locks);
    for (let i = 0; i < 20; i += 1) await locks.withLock('order', () => {});
    await locks.lock('order');
    return { locks, events };
  })();

  await using _empty = await startTestServer({ port });
  await events.told('sessionExpired');
  await events.told('ready');
  const held = await locks.lock('order');

  expect(events.ofType('lost')).toMatchObject([{ resource: 'order' }]);
  expect(held.isHeld()).toBe(true);
  await locks.close();
});
