import { filter, firstValueFrom } from 'rxjs';
import { describe, expect, it } from 'vitest';
import { eventually } from '../support/eventually.js';
import { useLockReplicas } from '../fixtures/lock-replicas.js';

const LONG_MS = 3_600_000;

describe('a lock that lingers in its process', () => {
  const { replica, deleteContender, ...replicas } = useLockReplicas();
  const contenders = (): Promise<readonly string[]> => replicas.contenders('order');

  it('is had again and again with one node, and increasing tokens', async () => {
    const locks = await replica({ linger: LONG_MS });
    const tokens: bigint[] = [];
    for (let cycle = 0; cycle < 100; cycle += 1) {
      await locks.withLock('order', ({ fencingToken }) => tokens.push(fencingToken));
    }
    expect(new Set(tokens.map((token) => token / 2_048n)).size).toBe(1);
    expect(tokens).toEqual(tokens.map((_, cycle) => tokens[0]! + BigInt(cycle)));
    expect(await contenders()).toHaveLength(1);
  });

  it('goes to another process that asks, at once', async () => {
    const here = await replica({ linger: LONG_MS });
    const there = await replica({});
    const before = await here.withLock('order', ({ fencingToken }) => fencingToken);
    const held = await there.lock('order');
    expect(held.fencingToken).toBeGreaterThan(before);
    expect(await here.tryLock('order')).toBeNull();
    await held.release();
    expect(await contenders()).toEqual([]);
  });

  it('goes back and forth between processes that both let it linger', async () => {
    const replicas = [await replica({ linger: LONG_MS }), await replica({ linger: LONG_MS })];
    const tokens: bigint[] = [];
    for (let cycle = 0; cycle < 20; cycle += 1) {
      await replicas[cycle % 2]!.withLock('order', ({ fencingToken }) => tokens.push(fencingToken));
    }
    expect(tokens.toSorted((a, b) => Number(a - b))).toEqual(tokens);
    expect(new Set(tokens).size).toBe(20);
  });

  it('is free for others at once if its holder has released it because it was asked to', async () => {
    const here = await replica({ linger: LONG_MS });
    const there = await replica({});
    const held = await here.lock('order');
    const asked = firstValueFrom(here.events$.pipe(filter(({ type }) => type === 'revokeRequested')));
    expect(await there.requestRelease('order')).toBe(true);
    await asked;
    await held.release();
    expect(await there.tryLock('order')).not.toBeNull();
  });

  it.each([
    ['read', { mode: 'write' }],
    ['write', { mode: 'read' }],
    ['exclusive', { mode: 'write' }],
    ['exclusive', { permits: 2 }],
    ['exclusive', { failure: 'closed', owner: 'me' }],
  ] as const)('is free in its process for calls of another kind: mode %s, then %o', async (mode, options) => {
    const locks = await replica({ linger: LONG_MS });
    await locks.withLock('order', { mode }, () => {});
    await using tried = await locks.tryLock('order', options);
    expect(tried?.isHeld()).toBe(true);
    await tried?.release();
    await locks.withLock('order', { mode }, () => {});
    await using held = await locks.lock('order', { ...options, maxWaiters: 0 });
    expect(held.isHeld()).toBe(true);
  });

  it('is free when its time is over', async () => {
    const here = await replica({ linger: 300 });
    const there = await replica({});
    await here.withLock('order', () => {});
    await eventually(async () => (await contenders()).length === 0);
    const held = await there.tryLock('order');
    expect(held?.isHeld()).toBe(true);
    await held?.release();
  });

  it('is busy for tryLock elsewhere until its process closes the service', async () => {
    const here = await replica({ linger: LONG_MS });
    const there = await replica({});
    await here.withLock('order', () => {});
    expect(await there.tryLock('order')).toBeNull();
    await here.close();
    const held = await there.tryLock('order');
    expect(held?.isHeld()).toBe(true);
    await held?.release();
  });

  it('is acquired again after an operator has deleted its node', async () => {
    const locks = await replica({ linger: LONG_MS });
    const before = await locks.withLock('order', ({ fencingToken }) => fencingToken);
    const [node] = await contenders();
    await deleteContender('order', node!);
    const tokens = new Set([before / 2_048n]);
    await eventually(async () => {
      tokens.add((await locks.withLock('order', ({ fencingToken }) => fencingToken)) / 2_048n);
      return tokens.size === 2;
    });
    expect(await contenders()).toHaveLength(1);
  });
});
