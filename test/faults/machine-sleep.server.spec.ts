import { filter, firstValueFrom } from 'rxjs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openLockService } from '../../lib/create-lock-service.js';
import { LockLostError, LockService, type HeldLock, type LockModuleOptions } from '../../lib/index.js';
import { SystemClock } from '../../lib/locking/clock.js';
import type { Hold } from '../../lib/locking/hold.js';
import { endedWithTest } from '../fixtures/ended-with-test.js';
import { FaultProxy } from '../support/fault-proxy.js';
import { RawSession } from '../support/raw-session.js';
import { startTestServer, type TestServer } from '../support/test-server.js';

const HOUR_MS = 3_600_000;
/** The deadline is more than 30 s away when the machine is suspended. */
const SESSION_TIMEOUT_MS = 40_000;
const SOON_MS = 10_000;
/** Heartbeats are soon due. */
const SHORT_TIMEOUT_MS = 3_000;

/** A suspension advances the wall clock but not the monotonic clock. */
class Machine {
  #slept = 0;
  readonly clock = new SystemClock(
    () => performance.now(),
    () => Date.now() + this.#slept,
  );

  constructor(private readonly proxy: FaultProxy) {}

  /** Its connections are dead afterwards. */
  sleep(): void {
    this.proxy.blackHole();
    this.doze(HOUR_MS);
  }

  /** Its connections outlast it. */
  doze(ms: number): void {
    this.#slept += ms;
  }
}

// Each test has locks of its own: those of a machine that is cut off stay taken until its session ends.
describe('after a suspension of the machine (H42)', () => {
  let server: TestServer;

  beforeAll(async () => {
    server = await startTestServer();
  });

  afterAll(async () => server.giveBack());

  async function boot(
    options: LockModuleOptions = {},
  ): Promise<{ machine: Machine; locks: LockService; proxy: FaultProxy }> {
    const proxy = endedWithTest(await FaultProxy.start(server));
    const machine = new Machine(proxy);
    const environment = { ensembles: [[proxy]] as const, clock: machine.clock, opened: () => {} };
    const locks = await openLockService(
      { sessionTimeout: SESSION_TIMEOUT_MS, root: '/sleep', drainTimeout: 0, ...options },
      undefined,
      environment,
    );
    endedWithTest({ [Symbol.asyncDispose]: () => locks.close() });
    return { machine, locks, proxy };
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

  it.for([
    ['of another resource', 'exclusive', 'another'],
    ['of a reader that shares its node', 'read', 'shared'],
  ] as const)('a call of isHeld aborts the signal %s in the same turn', async ([, mode, other]) => {
    const { machine, locks } = await boot();
    const asked = await locks.lock(mode === 'read' ? other : 'one', { mode });
    const { signal } = await locks.lock(other, { mode });

    machine.sleep();
    asked.isHeld();
    await Promise.resolve();

    expect(signal.reason).toMatchObject({ reason: 'session' });
  });

  it('the loss of a lock is told outside the locks of whoever has noticed it', async () => {
    const { machine, locks } = await boot();
    const other = await locks.lock('told');
    const current = new Promise<HeldLock | undefined>((resolve) => {
      other.signal.addEventListener('abort', () => resolve(LockService.current()));
    });

    const working = locks.withLock('noticed', async (held) => {
      machine.sleep();
      held.isHeld();
    });

    expect(await current).toBeUndefined();
    await expect(working).rejects.toThrow(LockLostError);
  });

  it('a lock whose node ended with its session is lost for the reason `session`', async () => {
    const { machine, locks, proxy } = await boot();
    await using cleaner = await RawSession.connect(server);
    const held = await locks.lock('expired');
    // The holder watches its node once the hold has lasted for a while.
    await proxy.waitFor('getData', { direction: 'reply' });
    const aborted = new Promise((resolve) => held.signal.addEventListener('abort', resolve));
    const [node] = await cleaner.getChildren('/sleep/expired');

    machine.doze(SESSION_TIMEOUT_MS);
    await cleaner.delete(`/sleep/expired/${node}`);
    await aborted;

    expect(held.signal.reason).toMatchObject({ reason: 'session' });
  });

  it('the note of a lost lock is not written, and its holder learns why', async () => {
    const { machine, locks } = await boot();
    const held = (await locks.lock('noted')) as Hold;

    machine.doze(SESSION_TIMEOUT_MS);
    held.isHeld();

    await expect(held.note.write('late')).rejects.toMatchObject({ code: 'LOCK_LOST', reason: 'session' });
  });

  it('a waiter that comes first has the lock when the server has acknowledged its session again (H32)', async () => {
    const { locks: others } = await boot();
    // With it, a grant that comes too late would not reach the caller.
    const { machine, locks } = await boot({ sessionTimeout: SHORT_TIMEOUT_MS, localQueue: false });
    const first = await others.lock('next');
    const waiting = firstValueFrom(locks.events$.pipe(filter(({ type }) => type === 'waiting')));
    const granted = locks.lock('next');
    await waiting;

    machine.doze(SHORT_TIMEOUT_MS);
    await first.release();

    const held = await granted;
    expect(held.isHeld()).toBe(true);
    expect(await held.release()).toBe(true);
  });
});
