import { describe, expect, it } from 'vitest';
import { LockTimeoutError, type LockOptions, type LockService } from '../../lib/index.js';
import { eventually } from '../support/eventually.js';
import { EventRecorder } from '../fixtures/event-recorder.js';
import { useLockReplicas } from '../fixtures/lock-replicas.js';
import { LONG_WAIT_MS } from '../fixtures/wait-clock.js';
import { acquire, tryAcquire, wait, type Holding } from './kind-callers.js';
import { LOCK_KINDS } from './lock-kinds.js';

describe.each(LOCK_KINDS)('a lock of the kind $name', (kind) => {
  const { replica, timedReplica, contenders } = useLockReplicas();
  const { holders, waiters, turns, isFair, resources } = kind;

  /** One session for each of those who wait: callers of one process who wait together share their place. */
  async function replicas(): Promise<(caller: number) => LockService> {
    const services = await Promise.all(waiters.map((_, index) => replica({ owner: `app-${index}` })));
    return (caller) => services[caller % services.length]!;
  }

  async function fill(locks: (caller: number) => LockService, more: LockOptions = {}): Promise<Holding[]> {
    const held: Holding[] = [];
    for (const [caller, options] of holders.entries())
      held.push(await acquire(locks(caller), kind, { ...options, ...more }));
    return held;
  }

  async function expectClean(locks: LockService): Promise<void> {
    for (const resource of resources) {
      expect(await contenders(resource)).toEqual([]);
      expect(await locks.inspect(resource)).toMatchObject({ holders: [], waiters: [] });
    }
  }

  it('is held by no more than it allows, and a release frees it for the next, in order where it promises that', async () => {
    const locks = await replicas();
    const held = await fill(locks);
    const calls = [];
    for (const [caller, options] of waiters.entries()) calls.push(await wait(locks(caller), kind, options));
    let granted = 0;
    for (const turn of turns) {
      expect(await tryAcquire(locks(granted), kind, waiters[0]!)).toBeNull();
      // The next one may have it before the release returns.
      const waiting = calls.filter((call) => call.held === undefined);
      for (const holding of held.splice(0, turn.released)) expect(await holding.release()).toBe(true);
      if (isFair) await Promise.all(waiting.slice(0, turn.granted).map(({ lock }) => lock));
      else await Promise.race(waiting.map(({ lock }) => lock));
      // After these replies, whoever was told of the release has asked again.
      for (const caller of waiters.keys()) await locks(caller).inspect(resources[0]!);
      granted += turn.granted;
      const now = calls.filter((call) => call.held !== undefined);
      expect(now).toHaveLength(granted);
      if (isFair) expect(now).toEqual(calls.slice(0, granted));
      held.push(
        ...now.map((call) => call.held!).filter((holding) => holding.isHeld() && !held.includes(holding)),
      );
    }
    expect(await tryAcquire(locks(0), kind, waiters[0]!)).toBeNull();
    expect(await Promise.all(held.map((holding) => holding.release()))).not.toContain(false);
    await expectClean(locks(0));
  });

  it('is never held by more than it allows when many ask at once', async () => {
    const locks = await replicas();
    const inside = new Set<LockOptions>();
    const work = async (caller: number): Promise<void> => {
      for (let round = 0; round < 2; round += 1) {
        const options = { ...[...holders, ...waiters][(caller + round) % (holders.length + waiters.length)] };
        const holding = await acquire(locks(caller), kind, options);
        inside.add(options);
        expect(kind.allows([...inside])).toBe(true);
        await new Promise((resolve) => setImmediate(resolve));
        expect(holding.isHeld()).toBe(true);
        inside.delete(options);
        expect(await holding.release()).toBe(true);
      }
    };
    await Promise.all(Array.from({ length: 6 }, (_, caller) => work(caller)));
    await expectClean(locks(0));
  });

  it('goes past a waiter that is aborted, and past one whose time is up', async () => {
    const locks = await replicas();
    const { locks: timed, clock } = await timedReplica();
    const held = await fill(locks);
    const abort = new AbortController();
    const [first, second] = [waiters[0]!, waiters[1]!];
    const aborted = await wait(locks(1), kind, { ...first, signal: abort.signal });
    const log = new EventRecorder(timed);
    const late = await wait(timed, kind, { ...first, wait: LONG_WAIT_MS });
    // Others may see its node before it knows its place.
    await log.told('waiting');
    abort.abort(new Error('changed my mind'));
    await expect(aborted.lock).rejects.toThrow('changed my mind');
    clock.endWaits();
    await expect(late.lock).rejects.toThrow(LockTimeoutError);
    const next = acquire(locks(0), kind, second);
    for (const holding of held) expect(await holding.release()).toBe(true);
    expect(await (await next).release()).toBe(true);
    await expectClean(locks(0));
  });

  it('is free for the next when the ttl of its holders has passed', async () => {
    const locks = await replicas();
    const held = await fill(locks, { ttl: 60 });
    const next = await acquire(locks(2), kind, waiters[0]!);
    expect(next.isHeld()).toBe(true);
    for (const holding of held) {
      // A semaphore goes on as soon as the first of them has ended.
      await eventually(() => !holding.isHeld());
      expect(holding.signal.reason).toMatchObject({ reason: 'ttl' });
      expect(await holding.release()).toBe(false);
    }
    expect(await next.release()).toBe(true);
    await expectClean(locks(0));
  });
});
