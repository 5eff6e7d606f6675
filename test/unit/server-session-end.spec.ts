import { beforeEach, describe, expect, test } from 'vitest';
import { MARGIN, SessionUnderTest, T } from './session-harness.js';

let subject: SessionUnderTest;

beforeEach(async () => {
  subject = new SessionUnderTest();
  await subject.attach();
  subject.log.length = 0;
});

describe('a deadline that passes', () => {
  test('is reported once, at its time, and before the server may end the session', async () => {
    await subject.clock.run(T - MARGIN - 1);
    expect(subject.log).toEqual([]);
    expect(subject.session.alive).toBe(true);
    await subject.clock.run(1);
    expect(subject.session.alive).toBe(false);
    await subject.clock.run(10 * T);
    expect(subject.log).toEqual(['deadlinePassed']);
  });

  test('is reported at its last value, even if nothing moved it after that', async () => {
    await subject.live(T / 2);
    const { deadline } = subject.session;
    expect(deadline - subject.clock.elapsed()).toBeGreaterThan(T / 2);
    subject.log.length = 0;
    await subject.clock.run(deadline - subject.clock.elapsed() - 1);
    expect(subject.log).toEqual([]);
    await subject.clock.run(1);
    expect(subject.log).toEqual(['deadlinePassed']);
  });

  test('is reported again if the session comes back and its deadline passes again', async () => {
    await subject.clock.run(T);
    subject.disconnect();
    await subject.attach();
    await subject.clock.run(T);
    expect(subject.log).toEqual(['deadlinePassed', 'disconnected', 'connected', 'renewed', 'deadlinePassed']);
  });

  test('leaves no timer but the heartbeat', async () => {
    await subject.clock.run(T);
    subject.disconnect();
    expect(subject.clock.timers).toBe(0);
  });

  test('is detected by the clock after a suspension of the machine, and reported soon (H42)', async () => {
    subject.clock.sleep(T);
    expect(subject.session.alive).toBe(false);
    await subject.clock.run(T / 20);
    expect(subject.log).toEqual(['deadlinePassed']);
  });

  test('is reported at its time after a shorter suspension', async () => {
    subject.clock.sleep(T / 2);
    await subject.clock.run(T / 2 - MARGIN - 1);
    expect(subject.log).toEqual([]);
    await subject.clock.run(1);
    expect(subject.log).toEqual(['deadlinePassed']);
  });
});

/** A deadline that has passed stays passed, even if the server still keeps the session (H32, H41). */
describe('after a stall beyond the deadline, before any timer fired', () => {
  test('a pending acknowledgement reports the passed deadline first', async () => {
    await subject.live(3 * T);
    await subject.clock.run(T / 6);
    subject.log.length = 0;
    subject.clock.stall(T);
    subject.client.last.acknowledge();
    // Only promises run: no timer can fire.
    for (let turns = 0; turns < 10; turns += 1) await Promise.resolve();
    expect(subject.log[0]).toBe('deadlinePassed');
    await subject.clock.run(0);
    expect(subject.log.filter((entry) => entry === 'deadlinePassed')).toHaveLength(1);
  });

  test('a reconnection reports the passed deadline first', async () => {
    subject.disconnect();
    subject.clock.stall(T);
    subject.connect();
    expect(subject.log).toEqual(['disconnected', 'deadlinePassed', 'connected']);
    expect(subject.session.alive).toBe(false);
    await subject.acknowledge();
    expect(subject.log.at(-1)).toBe('renewed');
    expect(subject.session.alive).toBe(true);
  });

  test('a reconnection whose own request is too old revives nothing', async () => {
    const requestedAt = subject.clock.elapsed();
    subject.disconnect();
    subject.clock.stall(T);
    await subject.attach({ requestedAt });
    expect(subject.log).toEqual(['disconnected', 'deadlinePassed', 'connected']);
    expect(subject.session.alive).toBe(false);
  });
});

describe('the end', () => {
  test.for(['expired', 'authenticationFailed'] as const)('%s is reported once and is final', async (end) => {
    await subject.clock.run(T / 6);
    subject.session.ended(end);
    expect(subject.session).toMatchObject({ state: 'ended', alive: false, deadline: -Infinity });
    expect(subject.log).toEqual([end]);
    expect(subject.clock.timers).toBe(0);
    subject.client.last.acknowledge();
    subject.session.ended(end);
    await subject.clock.run(10 * T);
    expect(subject.log).toEqual([end]);
    expect(subject.session.alive).toBe(false);
  });

  test('is not changed by a later loss of the connection', () => {
    subject.session.ended('expired');
    subject.disconnect();
    expect(subject.log).toEqual(['expired']);
    expect(subject.session.state).toBe('ended');
  });

  test('by close is reported before the client has closed', async () => {
    let finish: () => void = () => {};
    subject.client.close = () => new Promise((resolve) => (finish = resolve));
    let closed = false;
    const closing = subject.session.close().then(() => (closed = true));
    expect(subject.log).toEqual(['closed']);
    await subject.clock.run(0);
    expect(closed).toBe(false);
    finish();
    await closing;
    expect(subject.clock.timers).toBe(0);
  });

  test('by close after an expiry is reported as an expiry', async () => {
    subject.session.ended('expired');
    await subject.session.close();
    expect(subject.log).toEqual(['expired']);
    expect(subject.client.calls).toEqual(['connect', 'close']);
  });
});

describe('a session that an observer closes when it learns of the deadline does not continue', () => {
  beforeEach(() => {
    subject.session.observe({ deadlinePassed: () => void subject.session.close() });
  });

  test('on a new connection', () => {
    subject.disconnect();
    subject.clock.stall(T);
    const { length } = subject.client.commits;
    subject.connect();
    expect(subject.session.state).toBe('ended');
    expect(subject.client.commits).toHaveLength(length);
    expect(subject.clock.timers).toBe(0);
  });

  test('with a heartbeat that was acknowledged late', async () => {
    await subject.clock.run(T / 6);
    subject.clock.stall(T);
    await subject.acknowledge();
    expect(subject.session.alive).toBe(false);
    expect(subject.session.deadline).toBe(-Infinity);
    expect(subject.clock.timers).toBe(0);
  });
});
