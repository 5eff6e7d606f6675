import { beforeEach, describe, expect, test } from 'vitest';
import type { Hold } from '../../lib/locking/hold.js';
import { granted, lockManager, type ManagerUnderTest } from './manager-harness.js';

let manager: ManagerUnderTest;
let outer: Hold;

beforeEach(async () => {
  manager = lockManager();
  outer = await granted(manager, { ttl: 1_000 });
});

function nested(ttl = 0, within = outer): Promise<Hold> {
  return within.run(() => manager.locks.lock('a', { reentrant: true, ttl }));
}

const held = (...holds: Hold[]): boolean[] => holds.map((hold) => hold.isHeld());

describe('when the outer hold is extended, a nested one', () => {
  test('lasts as long as that, and so does one that is nested in it', async () => {
    const inner = await nested();
    const innermost = await nested(0, inner);
    await manager.clock.run(900);
    outer.extend(10_000);
    await manager.clock.run(9_999);
    expect(held(outer, inner, innermost)).toEqual([true, true, true]);
    await manager.clock.run(1);
    expect([outer, inner, innermost].map(({ loss }) => loss?.reason)).toEqual(['ttl', 'ttl', 'ttl']);
    expect(manager.log.filter((type) => type === 'extended')).toHaveLength(1);
  });

  test('ends earlier if that does', async () => {
    const inner = await nested();
    const innermost = await nested(0, inner);
    outer.extend(100);
    await manager.clock.run(99);
    expect(held(inner, innermost)).toEqual([true, true]);
    await manager.clock.run(1);
    expect(held(inner, innermost)).toEqual([false, false]);
    expect(manager.clock.timers).toBe(0);
  });

  test('has no limit if that has none', async () => {
    const inner = await nested();
    outer.extend(0);
    expect(manager.clock.timers).toBe(0);
    await manager.clock.run(100_000);
    expect(held(inner)).toEqual([true]);
  });

  test('keeps the end of its own ttl, and its warning', async () => {
    outer.extend(5_000);
    const inner = await nested(2_000);
    await manager.clock.run(1_000);
    outer.extend(60_000);
    await manager.clock.run(600);
    expect(manager.events.at(-1)).toMatchObject({ type: 'ttlWarning', remainingMs: 400 });
    await manager.clock.run(399);
    expect(held(inner)).toEqual([true]);
    await manager.clock.run(1);
    expect(held(outer, inner)).toEqual([true, false]);
  });

  test('is warned once, at 80 % of the new ttl', async () => {
    await nested();
    await manager.clock.run(500);
    outer.extend(2_000);
    await manager.clock.run(1_599);
    expect(manager.log).not.toContain('ttlWarning');
    await manager.clock.run(1);
    expect(manager.log.slice(-2)).toEqual(['ttlWarning', 'ttlWarning']);
  });

  test('lasts longer also if the hold between the two was released', async () => {
    const inner = await nested();
    const innermost = await nested(0, inner);
    void inner.release();
    outer.extend(10_000);
    await manager.clock.run(9_999);
    expect(held(innermost)).toEqual([true]);
    await manager.clock.run(1);
    expect(held(innermost)).toEqual([false]);
  });

  test('lasts longer also if it is just being acquired', async () => {
    const subscription = manager.locks.events.events$.subscribe(({ type }) => {
      if (type === 'acquired') outer.extend(10_000);
    });
    const inner = await nested();
    subscription.unsubscribe();
    await manager.clock.run(9_999);
    expect(held(inner)).toEqual([true]);
    await manager.clock.run(1);
    expect(held(inner)).toEqual([false]);
  });
});

describe('a nested hold that is extended', () => {
  test('ends with the outer one, and its event tells the ttl that it has', async () => {
    const inner = await nested();
    await manager.clock.run(400);
    inner.extend(60_000);
    expect(manager.events.at(-1)).toMatchObject({ type: 'extended', ttl: 600 });
    inner.extend(0);
    expect(manager.events.at(-1)).toMatchObject({ type: 'extended', ttl: 600 });
    inner.extend(500);
    expect(manager.events.at(-1)).toMatchObject({ type: 'extended', ttl: 500 });
    await manager.clock.run(500);
    expect(held(outer, inner)).toEqual([true, false]);
  });

  test('has the ttl that it asked for when the outer one is extended as well, in any order', async () => {
    const inner = await nested();
    inner.extend(5_000);
    outer.extend(60_000);
    await manager.clock.run(4_999);
    expect(held(inner)).toEqual([true]);
    await manager.clock.run(1);
    expect(held(outer, inner)).toEqual([true, false]);
  });
});
