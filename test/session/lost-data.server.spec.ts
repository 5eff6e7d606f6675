import { expect, it } from 'vitest';
import { createLockService } from '../../lib/index.js';
import { EventRecorder } from '../fixtures/event-recorder.js';
import { freePort } from '../support/free-port.js';
import { startTestServer } from '../support/test-server.js';

// A server closes the connection of a client that has seen later transactions than it has, without a reply.
it('a server that has lost its data ends the session, and grants locks again, although the client has seen later transactions', async () => {
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
