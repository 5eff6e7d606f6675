import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { LockError } from '../../lib/index.js';
import { eventually } from '../support/eventually.js';
import { startTestServer, type TestServer } from '../support/test-server.js';
import { ProxiedLocks } from './proxied-locks.js';

/** In each direction, to the server and back: every reply takes twice as long. */
const DELAY_MS = 100;
/** Enough for each stage of an acquisition, but not for three of them. */
const WAIT_MS = 500;

/**
 * A delay is never shorter than configured, even on a busy machine. So an acquisition that needs many replies cannot be
 * granted within the wait, unless a stage gets extra time.
 */
describe('an acquisition with a wait of 500 ms, where every reply takes 200 ms (H27)', () => {
  let server: TestServer;

  beforeAll(async () => {
    server = await startTestServer();
  });

  afterAll(async () => server.giveBack());

  it('is not granted a free lock whose path takes ten replies to create', async () => {
    await using setup = await ProxiedLocks.start(server, { root: '/slow/a/b/c' });
    setup.proxy.delay(DELAY_MS);

    const acquiring = setup.locks.lock('order', { wait: WAIT_MS });

    await expect(acquiring).rejects.toMatchObject({
      name: 'LockUnavailableError',
      message: expect.stringContaining(`did not queue the request within ${WAIT_MS} ms`),
    });
    expect(setup.count('acquired')).toBe(0);
  });

  it('ends even if the node that it watches changes repeatedly', async () => {
    await using setup = await ProxiedLocks.start(server);
    await setup.others.lock('order');
    const [ahead] = await setup.contenders('order');
    setup.proxy.delay(DELAY_MS);

    let end: unknown;
    void setup.locks.lock('order', { wait: WAIT_MS }).catch((error: unknown) => (end = error));
    let wakes = 0;
    for (; end === undefined && wakes < 20; wakes += 1) {
      await eventually(() => end !== undefined || setup.proxy.count('setWatches', 'reply') > wakes);
      await setup.observer.setData(`${setup.path('order')}/${ahead}`, Buffer.from(String(wakes)));
    }

    expect(end).toBeInstanceOf(LockError);
    expect(wakes).toBeLessThan(5);
  });
});
