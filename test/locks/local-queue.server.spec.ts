import { describe, expect, it } from 'vitest';
import type { HeldLock, LockService } from '../../lib/index.js';
import { eventually } from '../support/eventually.js';
import { useLockReplicas } from '../fixtures/lock-replicas.js';

describe('callers of one process that share a node', () => {
  const { replica, deleteContender, ...replicas } = useLockReplicas({ localQueue: true });
  const contenders = (): Promise<readonly string[]> => replicas.contenders('order');

  it('have the lock one after the other, in order, with increasing tokens and one node', async () => {
    const locks = await replica();
    const granted: [number: number, token: bigint][] = [];
    const first = await locks.lock('order');
    const others = Array.from({ length: 50 }, async (_, number) => {
      const held = await locks.lock('order');
      granted.push([number, held.fencingToken]);
      expect(await contenders()).toHaveLength(1);
      expect(await held.release()).toBe(true);
    });
    expect(await first.release()).toBe(true);
    await Promise.all(others);

    expect(granted.map(([number]) => number)).toEqual(Array.from({ length: 50 }, (_, number) => number));
    const tokens = [first.fencingToken, ...granted.map(([, token]) => token)];
    expect(tokens.toSorted((a, b) => Number(a - b))).toEqual(tokens);
    expect(new Set(tokens).size).toBe(51);
    expect(await contenders()).toEqual([]);
  });

  it('have their turn one after the other with those of another process, who cannot starve', async () => {
    const [here, there] = [await replica(), await replica()];
    const order: string[] = [];
    const first = await here.lock('order');
    const others = ['a', 'b'].map((name) => work(here, name));
    await eventually(async () => (await here.inspect('order')).waiters.length === 2);
    const rival = work(there, 'rival');
    // The notification of the rival comes before the list that shows it.
    await eventually(async () => (await here.inspect('order')).waiters.length === 3);
    const late = ['c', 'd'].map((name) => work(here, name));
    await eventually(async () => (await here.inspect('order')).waiters.length === 5);
    const { waiters } = await here.inspect('order');
    expect(waiters.map(({ owner }) => owner?.purpose)).toEqual(['a', 'b', 'rival', 'c', 'd']);
    await first.release();
    await Promise.all([...others, rival, ...late]);

    expect(order).toEqual(['a', 'b', 'rival', 'c', 'd']);

    async function work(locks: LockService, name: string): Promise<void> {
      await locks.withLock('order', { purpose: name }, () => order.push(name));
    }
  });

  it('all lose the lock with the node, and queue again', async () => {
    const locks = await replica();
    const held = await locks.lock('order');
    const waiting = locks.lock('order');
    await eventually(async () => (await locks.inspect('order')).waiters.length === 1);
    const [node] = await contenders();
    await lost(held, () => deleteContender('order', node!));

    const next = await waiting;
    expect(next.fencingToken).toBeGreaterThan(held.fencingToken);
    expect(next.isHeld()).toBe(true);
    expect(await contenders()).toHaveLength(1);
    await next.release();
  });

  async function lost(held: HeldLock, cause: () => Promise<unknown>): Promise<void> {
    const signalled = new Promise((resolve) => held.signal.addEventListener('abort', resolve));
    await cause();
    await signalled;
  }

  it('answer tryLock without a request while one of them has the lock', async () => {
    const locks = await replica();
    const held = await locks.lock('order');
    expect(await locks.tryLock('order')).toBeNull();
    expect(await contenders()).toHaveLength(1);
    await held.release();
    const again = await locks.tryLock('order');
    expect(again?.isHeld()).toBe(true);
    await again?.release();
  });

  it('leave nothing in the queue when none of them waits for another process', async () => {
    const [here, there] = [await replica(), await replica()];
    const held = await there.lock('order');
    // Both in one turn of the event loop: the second comes before the first knows its place.
    const refused = [here.lock('order', { maxWaiters: 0 }), here.tryLock('order')];
    expect(await Promise.allSettled(refused)).toMatchObject([
      { status: 'rejected', reason: { code: 'LOCK_BUSY' } },
      { status: 'fulfilled', value: null },
    ]);
    await eventually(async () => (await contenders()).length === 1);
    await held.release();
  });

  it('do not pass a lock on whose ttl is over', async () => {
    const locks = await replica();
    const overdue = await locks.lock('order', { ttl: 50 });
    const next = await locks.lock('order');
    expect(overdue.isHeld()).toBe(false);
    // A node of its own: 2,048 tokens belong to each.
    expect(next.fencingToken / 2_048n).toBeGreaterThan(overdue.fencingToken / 2_048n);
    await next.release();
  });
});
