import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openLockService } from '../../lib/create-lock-service.js';
import { LockLostError, type LockService } from '../../lib/index.js';
import { SystemClock } from '../../lib/locking/clock.js';
import { endedWithTest } from '../fixtures/ended-with-test.js';
import { FaultProxy } from '../support/fault-proxy.js';
import { startTestServer, type TestServer } from '../support/test-server.js';

const HOUR_MS = 3_600_000;
/** The deadline is more than 30 s away when the machine is suspended. */
const SESSION_TIMEOUT_MS = 40_000;
const SOON_MS = 10_000;

/** A suspension advances the wall clock but not the monotonic clock, and its connections are dead afterwards. */
class Machine {
  #slept = 0;
  readonly clock = new SystemClock(
    () => performance.now(),
    () => Date.now() + this.#slept,
  );

  constructor(private readonly proxy: FaultProxy) {}

  sleep(): void {
    this.proxy.blackHole();
    this.#slept += HOUR_MS;
  }
}

describe('after a suspension of the machine (H42)', () => {
  let server: TestServer;

  beforeAll(async () => {
    server = await startTestServer();
  });

  afterAll(async () => server.stop());

  async function boot(): Promise<{ machine: Machine; locks: LockService }> {
    const proxy = endedWithTest(await FaultProxy.start(server));
    const machine = new Machine(proxy);
    const options = { sessionTimeout: SESSION_TIMEOUT_MS, root: '/sleep', drainTimeout: 0 };
    const environment = { servers: [proxy], clock: machine.clock, opened: () => {} };
    const locks = await openLockService(options, undefined, environment);
    endedWithTest({ [Symbol.asyncDispose]: () => locks.close() });
    return { machine, locks };
  }

  it('work under a lock is rejected soon, even if it does not check the lock', async () => {
    const { machine, locks } = await boot();
    let woke = Infinity;

    const working = locks.withLock('unasked', () => {
      machine.sleep();
      woke = performance.now();
      return new Promise<never>(() => {});
    });

    await expect(working).rejects.toThrow(LockLostError);
    expect(performance.now() - woke).toBeLessThan(SOON_MS);
  });

  it('a call of isHeld aborts the signal in the same turn', async () => {
    const { machine, locks } = await boot();
    const held = await locks.lock('asked');
    const { signal } = held;

    machine.sleep();
    const answer = held.isHeld();
    await Promise.resolve();

    expect(answer).toBe(false);
    expect(signal.reason).toBeInstanceOf(LockLostError);
  });
});
