import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { LockProcess } from '../support/lock-process.js';
import { startTestServer, type TestServer } from '../support/test-server.js';

/** Longer than any accidental delay. */
const COMPUTES_MS = 4_000;

describe.each(['confirmed', 'sent'] as const)(
  'a holder that computes right after its work, with release: %s',
  (release) => {
    let server: TestServer;

    beforeAll(async () => {
      server = await startTestServer();
    });

    afterAll(async () => server.giveBack());

    it('does not delay the next holder', async () => {
      const { connectString } = server;
      await using holder = await LockProcess.start({ connectString, release });
      await using rival = await LockProcess.start({ connectString });

      const working = holder.call({ type: 'workThenBlock', resource: 'order', ms: COMPUTES_MS });
      await holder.told('acquired');
      await rival.lock('next', 'order');
      await working;

      const computed = await holder.told('blocked');
      const granted = await rival.told('acquired');
      expect(Number(computed.at - granted.at) / 1e6).toBeGreaterThan(COMPUTES_MS / 2);
    });
  },
);
