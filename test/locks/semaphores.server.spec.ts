import { describe, expect, it } from 'vitest';
import {
  LockBusyError,
  LockDeadlockError,
  LockPermitsError,
  type HeldLock,
  type LockOptions,
  type LockService,
} from '../../lib/index.js';
import { useLockReplicas, type QueuedCall } from '../fixtures/lock-replicas.js';

describe('semaphores', () => {
  const { replica, hasWaiters, contenders, createContender, deleteContender, ...replicas } =
    useLockReplicas();
  const queued = (locks: LockService, options: LockOptions): Promise<QueuedCall> =>
    replicas.queued(locks, 'app', options);

  it('as many hold the lock as there are permits, and the next one waits', async () => {
    const [here, there] = [await replica(), await replica()];
    const holders = [
      await here.lock('app', { permits: 3 }),
      await there.lock('app', { permits: 3 }),
      await here.lock('app', { permits: 3 }),
    ];
    expect(holders.every((held) => held.isHeld() && held.mode === 'semaphore')).toBe(true);
    expect(new Set(holders.map(({ fencingToken }) => fencingToken)).size).toBe(3);
    const next = await queued(there, { permits: 3 });
    const snapshot = await here.inspect('app');
    expect(snapshot).toMatchObject({ permits: 3 });
    expect(snapshot.holders).toHaveLength(3);
    expect(next.isGranted).toBe(false);
    await holders[1]!.release();
    expect((await next.lock).isHeld()).toBe(true);
  });

  it.each([0, 1, 2])(
    'the next one has the permit whichever holder leaves: number %i of 3 (H19)',
    async (index) => {
      const [here, there] = [await replica(), await replica()];
      const holders: HeldLock[] = [];
      for (let count = 0; count < 3; count += 1) holders.push(await here.lock('app', { permits: 3 }));
      const [first, second] = [await queued(there, { permits: 3 }), await queued(here, { permits: 3 })];
      await holders[index]!.release();
      const held = await first.lock;
      expect(second.isGranted).toBe(false);
      // The second waits for any of three as well, one of which was a waiter until now.
      await held.release();
      expect((await second.lock).isHeld()).toBe(true);
    },
  );

  it('permits are granted in the order of the calls', async () => {
    const locks = await replica();
    const holders = [await locks.lock('app', { permits: 2 }), await locks.lock('app', { permits: 2 })];
    const order: number[] = [];
    const waiters: Promise<void>[] = [];
    for (let number = 0; number < 6; number += 1) {
      const { lock } = await queued(locks, { permits: 2 });
      waiters.push(
        lock.then(async (held) => {
          order.push(number);
          await held.release();
        }),
      );
    }
    // One permit goes from each to the next. Two that are free at once have no order between them.
    await holders[0]!.release();
    await Promise.all(waiters);
    expect(order).toEqual([0, 1, 2, 3, 4, 5]);
    await holders[1]!.release();
  });

  it('a permit of a waiter that gives up goes to the next one', async () => {
    const locks = await replica();
    const holders = [await locks.lock('app', { permits: 2 }), await locks.lock('app', { permits: 2 })];
    const abort = new AbortController();
    const first = await queued(locks, { permits: 2, signal: abort.signal });
    const second = await queued(locks, { permits: 2 });
    abort.abort(new Error('changed my mind'));
    await expect(first.lock).rejects.toThrow('changed my mind');
    await hasWaiters(locks, 'app', 1);
    await holders[0]!.release();
    expect((await second.lock).isHeld()).toBe(true);
  });

  it('an attempt that does not wait is busy only if all permits are taken', async () => {
    const [here, there] = [await replica(), await replica()];
    const first = await here.tryLock('app', { permits: 2 });
    const second = await there.tryLock('app', { permits: 2 });
    expect([first?.isHeld(), second?.isHeld()]).toEqual([true, true]);
    expect(await here.tryLock('app', { permits: 2 })).toBeNull();
    await expect(there.lock('app', { permits: 2, wait: 0 })).rejects.toThrow(LockBusyError);
    await first!.release();
    expect((await there.tryLock('app', { permits: 2 }))?.isHeld()).toBe(true);
  });

  it('an exclusive caller waits for all holders, and later callers for it', async () => {
    const [here, there] = [await replica(), await replica()];
    const holders = [await here.lock('app', { permits: 3 }), await there.lock('app', { permits: 3 })];
    const exclusive = await queued(here, {});
    const later = await queued(there, { permits: 3 });
    await holders[0]!.release();
    expect(await there.tryLock('app', { permits: 3 })).toBeNull();
    expect(exclusive.isGranted).toBe(false);
    await holders[1]!.release();
    const held = await exclusive.lock;
    expect(later.isGranted).toBe(false);
    await held.release();
    expect((await later.lock).isHeld()).toBe(true);
  });

  it('waiters are counted without the holders', async () => {
    const locks = await replica();
    await Promise.all([1, 2, 3].map(() => locks.lock('app', { permits: 3 })));
    await queued(locks, { permits: 3, maxWaiters: 1 });
    await expect(locks.lock('app', { permits: 3, maxWaiters: 1 })).rejects.toThrow('has 1 waiter.');
  });

  it.each([{}, { mode: 'read' }] as const)(
    'those who wait for a permit are waiters for a caller with %j, too',
    async (other) => {
      const [here, there] = [await replica(), await replica()];
      await Promise.all([1, 2].map(() => here.lock('app', { permits: 2 })));
      await queued(here, { permits: 2 });
      await queued(here, { permits: 2 });
      const refused = there.lock('app', { ...other, maxWaiters: 2 });
      await expect(refused).rejects.toMatchObject({ code: 'LOCK_BUSY', waiters: 2 });
      await queued(there, { ...other, maxWaiters: 3 });
      await expect(there.lock('app', { ...other, maxWaiters: 3 })).rejects.toThrow('has 3 waiters');
    },
  );

  it('within a permit, another mode is refused, because it would wait for itself', async () => {
    const locks = await replica();
    await locks.withLock('app', { permits: 2 }, async () => {
      await expect(locks.lock('app')).rejects.toThrow(LockDeadlockError);
      const second = await locks.lock('app', { permits: 2 });
      expect(second.isHeld()).toBe(true);
      await second.release();
    });
  });

  describe('the number of permits', () => {
    it('another number is refused while the lock is in use, and leaves no node behind', async () => {
      const [here, there] = [await replica(), await replica()];
      const held = await here.lock('app', { permits: 2 });
      const refused = there.lock('app', { permits: 3 });
      await expect(refused).rejects.toThrow(LockPermitsError);
      await expect(refused).rejects.toMatchObject({ code: 'LOCK_PERMITS', permits: 2 });
      await expect(there.tryLock('app', { permits: 1 })).rejects.toThrow('in use with 2');
      expect(await here.inspect('app')).toMatchObject({ holders: [{}], waiters: [] });
      await held.release();
    });

    it('another number is refused with another error if only nodes of others keep the lock path', async () => {
      const locks = await replica();
      const held = await locks.lock('app', { permits: 2 });
      await createContender('app', 'notes', {});
      await held.release();
      for (const options of [{ permits: 3 }, { fair: false }]) {
        const refused = locks.lock('app', options);
        await expect(refused).rejects.toMatchObject({ code: 'LOCK_UNAVAILABLE' });
        await expect(refused).rejects.toThrow(/app\/notes\)\. Remove the nodes that somebody has created/);
      }
      await deleteContender('app', 'notes');
      await (await locks.lock('app', { permits: 3 })).release();
    });

    it('another number is fine as soon as nobody uses the lock', async () => {
      const [here, there] = [await replica(), await replica()];
      await (await here.lock('app', { permits: 2 })).release();
      const held = [await there.lock('app', { permits: 1 })];
      expect(await there.tryLock('app', { permits: 1 })).toBeNull();
      await expect(here.lock('app', { permits: 2 })).rejects.toThrow(LockPermitsError);
      await held[0]!.release();
    });

    it('of callers with different numbers at the same time, all who are granted the lock have the same', async () => {
      const replicas = await Promise.all([replica(), replica(), replica()]);
      for (let round = 0; round < 10; round += 1) {
        const outcomes = await Promise.allSettled(
          replicas.flatMap((locks, index) =>
            [1, 2].map(async () => {
              const held = await locks.lock('app', { permits: index + 4 });
              return { held, permits: index + 4 };
            }),
          ),
        );
        const granted = outcomes.flatMap((outcome) =>
          outcome.status === 'fulfilled' ? [outcome.value] : [],
        );
        expect(granted.length).toBeGreaterThan(0);
        expect(new Set(granted.map(({ permits }) => permits)).size).toBe(1);
        for (const outcome of outcomes)
          if (outcome.status === 'rejected') expect(outcome.reason).toBeInstanceOf(LockPermitsError);
        await Promise.all(granted.map(({ held }) => held.release()));
      }
    });

    it('is looked up again if the lock was used without permits, or with others, in between', async () => {
      const [here, there] = [await replica(), await replica()];
      for (const [permits, other] of [
        [2, {}],
        [2, { permits: 3 }],
        [2, { permits: 1 }],
      ] as const) {
        const mine = await here.lock('app', { permits });
        const again = await here.lock('app', { permits });
        await Promise.all([mine.release(), again.release()]);
        // Nobody uses the lock: the path may be removed, and made again by somebody else.
        await (await there.lock('app', other)).release();
        const held = await here.lock('app', { permits });
        expect(await here.inspect('app')).toMatchObject({ permits, holders: [{}], waiters: [] });
        await held.release();
      }
    });

    it('another number is refused to a process that has used the lock before', async () => {
      const [here, there] = [await replica(), await replica()];
      await (await here.lock('app', { permits: 2 })).release();
      const held = await there.lock('app', { permits: 3 });
      await expect(here.lock('app', { permits: 2 })).rejects.toMatchObject({
        code: 'LOCK_PERMITS',
        permits: 3,
      });
      expect(await contenders('app')).toHaveLength(1);
      await held.release();
    });

    it('a lock that was used without permits before can be a semaphore', async () => {
      const locks = await replica();
      const exclusive = await locks.lock('app');
      const semaphore = await queued(locks, { permits: 2 });
      await exclusive.release();
      expect((await semaphore.lock).isHeld()).toBe(true);
      expect((await locks.inspect('app')).permits).toBe(2);
    });

    it('more permits wake as many waiters', async () => {
      const [here, there] = [await replica(), await replica()];
      await here.lock('app', { permits: 1 });
      const waiters = [
        await queued(there, { permits: 1 }),
        await queued(here, { permits: 1 }),
        await queued(there, { permits: 1 }),
      ];
      expect(await there.setPermits('app', 3)).toBe(true);
      await Promise.all([waiters[0]!.lock, waiters[1]!.lock]);
      expect(await here.inspect('app')).toMatchObject({ holders: [{}, {}, {}], waiters: [{}], permits: 3 });
      expect(waiters[2]!.isGranted).toBe(false);
      await expect(here.lock('app', { permits: 1 })).rejects.toThrow(LockPermitsError);
      expect(await here.tryLock('app', { permits: 3 })).toBeNull();
    });

    it('fewer permits take none away, and the next is granted when fewer hold the lock', async () => {
      const locks = await replica();
      const holders = await Promise.all([1, 2, 3].map(() => locks.lock('app', { permits: 3 })));
      const next = await queued(locks, { permits: 3 });
      expect(await locks.setPermits('app', 1)).toBe(true);
      expect(holders.every((held) => held.isHeld())).toBe(true);
      await holders[0]!.release();
      await holders[2]!.release();
      expect(await locks.tryLock('app', { permits: 1 })).toBeNull();
      expect(next.isGranted).toBe(false);
      await holders[1]!.release();
      expect((await next.lock).isHeld()).toBe(true);
    });

    it('cannot be changed for a lock that is not in use as a semaphore', async () => {
      const locks = await replica();
      expect(await locks.setPermits('app', 3)).toBe(false);
      const held = await locks.lock('app');
      expect(await locks.setPermits('app', 3)).toBe(false);
      await held.release();
      await expect(locks.setPermits('app', 0)).rejects.toThrow('a whole number of permits from 1 to 1000');
    });
  });
});
