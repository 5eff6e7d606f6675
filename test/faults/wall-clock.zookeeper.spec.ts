import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { FakeTime } from '../support/fake-time.js';
import { LockProcess } from '../support/lock-process.js';
import { startTestServer, type TestServer } from '../support/test-server.js';

const HOUR = 3_600;
/** Long enough that a process or the server can stall for a while and lose no session. */
const SESSION_TIMEOUT_MS = 9_000;

describe('a step of the wall clock (H42)', () => {
  let server: TestServer;

  beforeAll(async () => {
    server = await startTestServer();
  });

  afterAll(async () => server.giveBack());

  it('backward neither ends nor extends a hold', async () => {
    await using time = await FakeTime.create();
    await using holder = await LockProcess.start(
      { connectString: server.connectString, sessionTimeout: SESSION_TIMEOUT_MS },
      time.env,
    );
    await holder.lock('hold', 'backward');

    await time.step(-HOUR);
    expect(await holder.call({ type: 'isHeld' }, 'hold')).toBe(true);

    holder.signal('SIGSTOP');
    await using rival = await LockProcess.start({ connectString: server.connectString });
    await rival.lock('rival', 'backward');
    holder.signal('SIGCONT');
    expect(await holder.call({ type: 'isHeld' }, 'hold')).toBe(false);
  });

  it('forward ends the hold early, as after a suspension of the machine, and the session continues', async () => {
    await using time = await FakeTime.create();
    await using holder = await LockProcess.start({ connectString: server.connectString }, time.env);
    await holder.lock('hold', 'forward');

    await time.step(HOUR);
    expect(await holder.call({ type: 'isHeld' }, 'hold')).toBe(false);
    await holder.told('signalAborted');

    await holder.lock('again', 'forward');
    expect(await holder.call({ type: 'isHeld' }, 'again')).toBe(true);
  });
});
