import { beforeEach, describe, expect, test } from 'vitest';
import type { FakeClock } from './fake-clock.js';
import { HeartUnderTest, INTERVAL } from './heartbeat-harness.js';
import type { ScriptedDriver } from './scripted-driver.js';

let heart: HeartUnderTest;
let clock: FakeClock;
let driver: ScriptedDriver;

beforeEach(() => {
  heart = new HeartUnderTest();
  ({ clock, driver } = heart);
});

describe('the cadence', () => {
  test('begins T/6 after the connect request, not after its answer', async () => {
    clock.advance(500);
    heart.beat();
    await clock.run(1_499);
    expect(driver.commits).toHaveLength(0);
    await clock.run(1);
    expect(heart.log).toEqual(['0 sent before, at 2000: 2000']);
    expect(driver.commits).toHaveLength(1);
  });

  test('is T/6 after the heartbeat before, if that was answered by then', async () => {
    heart.beat();
    await clock.run(2_000);
    await heart.answer(700);
    await clock.run(1_299);
    expect(driver.commits).toHaveLength(1);
    await clock.run(1);
    expect(driver.commits).toHaveLength(2);
  });

  test('waits for the answer if that takes longer: one in flight', async () => {
    heart.beat();
    await clock.run(2_000);
    await clock.run(2_900);
    expect(driver.commits).toHaveLength(1);
    await heart.answer(0);
    expect(driver.commits).toHaveLength(2);
    expect(heart.log).toEqual([
      '0 sent before, at 2000: 2000',
      'acknowledged 4900',
      '1 sent before, at 4900: 4900',
    ]);
  });

  test('goes on for as long as it is answered', async () => {
    heart.beat();
    await clock.run(2_000);
    for (let i = 1; i < 20; i += 1) {
      driver.last.acknowledge();
      await clock.run(INTERVAL);
    }
    expect(driver.commits).toHaveLength(20);
    expect(clock.elapsed() - heart.start).toBe(20 * INTERVAL);
  });

  test('begins at once if it is overdue, after a slow handshake', async () => {
    clock.advance(5_000);
    heart.beat();
    await clock.run(0);
    expect(driver.commits).toHaveLength(1);
  });

  test('keeps no process alive', () => {
    heart.beat();
    expect(clock.timers).toBe(1);
    expect(clock.keepingAlive).toBe(0);
  });
});

describe('a blocked event loop', () => {
  test('is told if it kept a heartbeat waiting for more than T/6', async () => {
    heart.beat();
    clock.stall(2_000 + INTERVAL + 1);
    await clock.run(0);
    expect(heart.log).toEqual([`lagged ${INTERVAL + 1} 4001`, '0 sent before, at 4001: 4001']);
  });

  test('is not worth a word below that', async () => {
    heart.beat();
    clock.stall(2_000 + INTERVAL);
    await clock.run(0);
    expect(heart.log).toEqual(['0 sent before, at 4000: 4000']);
  });

  test('while a heartbeat was in flight is none of the next one’s lag', async () => {
    heart.beat();
    await clock.run(2_000);
    clock.stall(2_990);
    await heart.answer(0);
    expect(heart.log.join()).not.toContain('lagged');
    expect(driver.commits).toHaveLength(2);
  });
});
