import { beforeEach, describe, expect, test, vi } from 'vitest';
import { heartbeatInterval } from '../../lib/zookeeper/session/heartbeat.js';
import type { FakeClock } from './fake-clock.js';
import { HeartbeatUnderTest, INTERVAL } from './heartbeat-harness.js';
import type { ScriptedClient } from './scripted-client.js';

let subject: HeartbeatUnderTest;
let clock: FakeClock;
let client: ScriptedClient;

beforeEach(() => {
  subject = new HeartbeatUnderTest();
  ({ clock, client } = subject);
});

describe('the cadence', () => {
  test('starts at once', () => {
    subject.beat();
    expect(subject.log).toEqual(['0 sent before, at 0: 0']);
    expect(client.commits).toHaveLength(1);
  });

  test('continues an interval after each acknowledgement, not after the heartbeat: the leader must ping in between', async () => {
    subject.beat();
    await subject.answer(700);
    await clock.run(INTERVAL - 1);
    expect(client.commits).toHaveLength(1);
    await clock.run(1);
    expect(subject.log).toEqual([
      '0 sent before, at 0: 0',
      'acknowledged 700',
      '1 sent before, at 2700: 2700',
    ]);
  });

  test('waits for the whole interval although a timer is early, as those of Node are', async () => {
    const setTimer = clock.setTimer.bind(clock);
    vi.spyOn(clock, 'setTimer').mockImplementation((callback, ms) =>
      setTimer(callback, ms === INTERVAL ? ms - 1.7 : ms),
    );
    subject.beat();
    await subject.answer(0);
    await clock.run(INTERVAL - 1);
    expect(client.commits).toHaveLength(1);
    await clock.run(1);
    expect(client.commits).toHaveLength(2);
  });

  test('has one heartbeat in flight, however long the answer takes', async () => {
    subject.beat();
    await clock.run(2_900);
    expect(client.commits).toHaveLength(1);
    await subject.answer(0);
    await clock.run(INTERVAL - 1);
    expect(client.commits).toHaveLength(1);
    await clock.run(1);
    expect(client.commits).toHaveLength(2);
  });

  test('continues as long as heartbeats are answered', async () => {
    subject.beat();
    for (let i = 1; i < 20; i += 1) {
      client.last.acknowledge();
      await clock.run(INTERVAL);
    }
    expect(client.commits).toHaveLength(20);
    expect(clock.elapsed() - subject.start).toBe(19 * INTERVAL);
  });

  test('does not keep the process alive', async () => {
    subject.beat();
    await subject.answer(0);
    expect(clock.timers).toBe(1);
    expect(clock.keepingAlive).toBe(0);
  });
});

describe('the interval is T/6, but at least half a usual tick, and at most T/4', () => {
  test.for([
    ['as requested', 20_000, 20_000, 20_000 / 6],
    ['lowered by the server', 12_000, 20_000, 2_000],
    ['the longest of a usual server', 40_000, 40_000, 40_000 / 6],
    ['where T/6 is half a tick', 9_300, 9_300, 1_550],
    ['where T/6 is less', 8_000, 8_000, 1_550],
    ['two default ticks', 6_000, 6_000, 1_500],
    ['two ticks of the sample configuration', 4_000, 4_000, 1_000],
    ['two shorter ticks', 1_000, 1_000, 250],
    ['raised by the server, perhaps to two of its ticks', 20_000, 10_000, 5_000],
  ] as const)('%s: T = %i, requested %i', ([, sessionTimeout, asked, interval]) => {
    expect(heartbeatInterval(sessionTimeout, asked)).toBe(interval);
  });
});

describe('a blocked event loop', () => {
  test('is reported if it delayed a heartbeat by more than T/6', async () => {
    subject.beat();
    await subject.answer(0);
    clock.stall(INTERVAL + 2_001);
    await clock.run(0);
    expect(subject.log.slice(2)).toEqual(['lagged 2001 4001', '1 sent before, at 4001: 4001']);
  });

  test('is reported if it kept an answer waiting by more than T/6 beyond the time that a server has for it', async () => {
    subject.beat();
    clock.stall(3_000 + 2_001);
    await clock.run(0);
    expect(subject.log.slice(1)).toEqual(['lagged 2001 5001']);
  });

  test('is not reported below that', async () => {
    subject.beat();
    await subject.answer(0);
    clock.stall(INTERVAL + 2_000);
    await clock.run(0);
    expect(subject.log.slice(2)).toEqual(['1 sent before, at 4000: 4000']);
  });

  test('is not what a machine had that slept', async () => {
    subject.beat();
    await subject.answer(0);
    clock.sleep(3_600_000);
    await clock.run(INTERVAL);
    expect(subject.log.join()).not.toContain('lagged');
    expect(client.commits).toHaveLength(2);
  });

  test('while a heartbeat was in flight does not count for the next one', async () => {
    subject.beat();
    clock.stall(2_990);
    await subject.answer(0);
    await clock.run(INTERVAL);
    expect(subject.log.join()).not.toContain('lagged');
    expect(client.commits).toHaveLength(2);
  });
});
