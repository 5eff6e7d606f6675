import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { checkHistory } from '../support/lock-history.js';
import { LockProcess } from '../support/lock-process.js';
import { startTestServer, type TestServer } from '../support/test-server.js';

/** Long enough that the server, or a process that is not stalled on purpose, can stall for a while and lose no session. */
const SESSION_TIMEOUT_MS = 6_000;

describe('a holder that is stalled for two session timeouts', () => {
  let server: TestServer;

  beforeAll(async () => {
    server = await startTestServer();
  });

  afterAll(async () => server.giveBack());

  async function holderAndRival(resource: string) {
    const { connectString } = server;
    const holder = await LockProcess.start({ connectString, sessionTimeout: SESSION_TIMEOUT_MS });
    const rival = await LockProcess.start({ connectString });
    await holder.lock('hold', resource);
    const granted = rival.lock('rival', resource);
    await rival.queueLength(resource, 2);
    return { holder, rival, granted };
  }

  it('by a blocked event loop detects the loss in the next line of its code (H41)', async () => {
    const { holder, rival, granted } = await holderAndRival('blocked');
    await using _holder = holder;
    await using _rival = rival;

    await holder.call({ type: 'block', ms: 2 * SESSION_TIMEOUT_MS });
    await granted;

    expect(holder.history.find(({ what }) => what === 'blocked')?.detail).toBe('false');
    expect(await holder.release('hold')).toBe(false);
  });

  it('by SIGSTOP does not hold the lock when it continues (H42)', async () => {
    const { holder, rival, granted } = await holderAndRival('stopped');
    await using _holder = holder;
    await using _rival = rival;

    holder.signal('SIGSTOP');
    await granted;
    holder.signal('SIGCONT');

    expect(await holder.call({ type: 'isHeld' }, 'hold')).toBe(false);
    await holder.told('signalAborted');
    await rival.release('rival');
    const { holds } = checkHistory([...holder.history, ...rival.history]);
    expect(holds[1]!.token).toBeGreaterThan(holds[0]!.token);
  });
});
