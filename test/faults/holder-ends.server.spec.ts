import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { LockProcess } from '../support/lock-process.js';
import { startTestServer, type TestServer } from '../support/test-server.js';

const TICK_MS = 500;
const SESSION_TIMEOUT_MS = 2_000;
/** Added to the bound of the protocol: the noise of the machine. */
const NOISE_MS = 10_000;
/** A waiter that is not notified reads the queue after this time, which is later than every bound. */
const LONG_SESSION_TIMEOUT_MS = 40_000;

describe('the lock of a process that ends', () => {
  let server: TestServer;

  beforeAll(async () => {
    server = await startTestServer({ tickTime: TICK_MS });
  });

  afterAll(async () => server.giveBack());

  async function holderAndRival(resource: string, sessionTimeout: number) {
    const { connectString } = server;
    const holder = await LockProcess.start({ connectString, sessionTimeout });
    const rival = await LockProcess.start({ connectString, sessionTimeout: LONG_SESSION_TIMEOUT_MS });
    await holder.lock('hold', resource);
    const granted = rival.lock('rival', resource);
    await rival.told('acquiring');
    return { holder, rival, granted };
  }

  it('is granted to the next waiter within T and two ticks of a kill -9 (L2, H49)', async () => {
    const { holder, rival, granted } = await holderAndRival('killed', SESSION_TIMEOUT_MS);
    await using _rival = rival;

    const killedAt = process.hrtime.bigint();
    await holder.kill();
    await granted;

    const { at } = await rival.told('acquired');
    expect(Number(at - killedAt) / 1e6).toBeLessThan(SESSION_TIMEOUT_MS + 2 * TICK_MS + NOISE_MS);
  });

  it('is granted to the next waiter before the session would time out if the process closes its service', async () => {
    const { holder, rival, granted } = await holderAndRival('closed', LONG_SESSION_TIMEOUT_MS);
    await using _rival = rival;
    await rival.queueLength('closed', 2);

    const released = holder.release('hold');
    const closing = holder.close();
    await Promise.all([released, closing, granted]);

    const { at } = await rival.told('acquired');
    const { at: releasingAt } = await holder.told('releasing');
    expect(Number(at - releasingAt) / 1e6).toBeLessThan(LONG_SESSION_TIMEOUT_MS / 2);
  });
});
