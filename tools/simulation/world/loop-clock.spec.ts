import { describe, expect, it } from 'vitest';
import { Host } from './spec-host.js';

const nothing = (): void => {};

describe('a timer', () => {
  it('fires at most 1 ms early, and never runs after it was cancelled', async () => {
    const { loop, at, seen, note, finished } = new Host('early');
    const errors: number[] = [];
    for (let timer = 0; timer < 200; timer++) {
      at(timer * 10.37, () => {
        loop.run(() => {
          const due = loop.clock.monotonic() + 5;
          loop.clock.setTimer(() => errors.push(loop.clock.monotonic() - due), 5.9);
          const cancelled = loop.clock.setTimer(note('cancelled'), 3);
          loop.clock.setTimer(() => cancelled.cancel(), 1);
        });
      });
    }
    await finished();
    expect(seen).toEqual([]);
    expect(Math.min(...errors)).toBeGreaterThan(-1);
    expect(Math.min(...errors)).toBeLessThan(-0.9);
    expect(Math.max(...errors)).toBeLessThan(0.2);
  });

  it('without a delay waits for the next millisecond, as with 1 ms', async () => {
    const { loop, at, finished } = new Host('zero');
    const delays: number[] = [];
    for (let timer = 0; timer < 100; timer++) {
      at(timer * 10.37, () => {
        loop.run(() => {
          const start = loop.clock.monotonic();
          loop.clock.setTimer(() => delays.push(loop.clock.monotonic() - start), 0);
        });
      });
    }
    await finished();
    expect(Math.max(...delays)).toBeGreaterThan(0.9);
    expect(Math.max(...delays)).toBeLessThan(1.2);
  });

  it('fires before later ones with the same delay', async () => {
    const { loop, at, note, finished } = new Host('fifo');
    for (let timer = 0; timer < 20; timer++) {
      at(timer * 0.1, () => loop.run(() => void loop.clock.setTimer(note(`${timer}`), 3)));
    }
    expect(await finished()).toEqual(Array.from({ length: 20 }, (_, timer) => `${timer}`));
  });
});

describe('clocks', () => {
  it('of a host drift: its timers follow its own monotonic clock', async () => {
    const { loop, scheduler, finished } = new Host('drift', { rate: 1.01 });
    loop.run(() => void loop.clock.setTimer(() => expect(scheduler.now).toBeLessThan(9_902), 10_000));
    await finished();
    expect(loop.clock.monotonic()).toBeCloseTo(scheduler.now * 1.01, 6);
    expect(scheduler.now).toBeGreaterThan(9_899);
  });

  it('show a step of the wall clock, which counts as a suspension if it is forward', async () => {
    const { loop, at, finished } = new Host('wall', { wallOffset: 7_000 });
    const { clock } = loop;
    const before = { elapsed: clock.elapsed(), wall: clock.wall() };
    expect(before.wall).toBe(Date.UTC(2026, 0, 1) + 7_000);
    at(1_000, () => clock.stepWall(60_000));
    at(2_000, () => clock.elapsed());
    at(3_000, () => clock.stepWall(-90_000));
    at(4_000, nothing);
    await finished();
    expect(clock.monotonic()).toBe(4_000);
    expect(clock.elapsed() - before.elapsed).toBe(64_000);
    expect(clock.wall() - before.wall).toBe(4_000 + 60_000 - 90_000);
  });
});
