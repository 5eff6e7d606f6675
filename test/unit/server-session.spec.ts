import { beforeEach, describe, expect, test } from 'vitest';
import { ZooKeeperError } from '../../lib/zookeeper/client/zookeeper-error.js';
import { MARGIN, SessionUnderTest, T } from './session-harness.js';

let subject: SessionUnderTest;

beforeEach(() => {
  subject = new SessionUnderTest();
});

/** Time until the deadline. */
const left = () => subject.session.deadline - subject.clock.elapsed();

describe('connections', () => {
  test('a new session connects, and is not alive yet', () => {
    const { session, client } = subject;
    expect(client.calls).toEqual(['connect']);
    expect(session).toMatchObject({ state: 'connecting', alive: false, deadline: -Infinity, timeout: T });
  });

  test('the first one makes it alive until the deadline of its request, as soon as a quorum has answered', async () => {
    subject.clock.advance(300);
    subject.connect({ requestedAt: subject.clock.elapsed() - 200 });
    expect(subject.session).toMatchObject({ state: 'connected', alive: false, id: 0x1n });
    await subject.acknowledge();
    expect(subject.session.alive).toBe(true);
    expect(left()).toBe(T - MARGIN - 200);
    expect(subject.log).toEqual(['connected', 'renewed']);
  });

  test('heartbeats keep it alive indefinitely, two heartbeats behind', async () => {
    await subject.attach();
    await subject.live(50 * T);
    expect(left()).toBeGreaterThan(T / 2);
    expect(left()).toBeLessThanOrEqual(T - MARGIN - (2 * T) / 6);
    expect(subject.log).not.toContain('deadlinePassed');
  });

  test('a heartbeat counts from when it left, however late its answer comes (H31)', async () => {
    await subject.attach();
    const sent: number[] = [];
    for (let heartbeat = 2; heartbeat <= 4; heartbeat += 1) {
      await subject.clock.run(T / 6);
      sent.push(subject.clock.elapsed());
      await subject.clock.run(500);
      await subject.acknowledge();
    }
    expect(subject.client.commits).toHaveLength(4);
    expect(subject.session.deadline).toBe(sent[0]! + T - MARGIN);
  });

  test('a lost one suspends it: the heartbeats stop, the deadline stays', async () => {
    await subject.attach();
    const { deadline } = subject.session;
    await subject.clock.run(1_000);
    subject.disconnect();
    await subject.clock.run(5_000);
    expect(subject.session).toMatchObject({ state: 'disconnected', alive: true, deadline });
    expect(subject.client.commits).toHaveLength(1);
    expect(subject.log).toEqual(['connected', 'renewed', 'disconnected']);
  });

  test('one that comes back in time renews it', async () => {
    await subject.attach();
    await subject.clock.run(1_000);
    subject.disconnect();
    await subject.clock.run(5_000);
    await subject.attach();
    expect(left()).toBe(T - MARGIN);
    await subject.live(3 * T);
    expect(subject.log).not.toContain('deadlinePassed');
  });

  test('each sends a heartbeat at once and then at the interval of its own timeout', async () => {
    await subject.attach();
    await subject.clock.run(T / 6);
    expect(subject.client.commits).toHaveLength(2);
    subject.disconnect();
    await subject.attach({ sessionTimeout: 2 * T });
    expect(subject.client.commits).toHaveLength(3);
    await subject.clock.run(T / 2 - 1);
    expect(subject.client.commits).toHaveLength(3);
    await subject.clock.run(1);
    expect(subject.client.commits).toHaveLength(4);
  });

  test('a heartbeat that is refused renews nothing and does not count', async () => {
    await subject.attach({ requestedAt: subject.clock.elapsed() - 200 });
    const { deadline } = subject.session;
    await subject.clock.run(T / 6);
    subject.client.last.fail(new ZooKeeperError('THROTTLED_OP', 'busy'));
    await subject.clock.run(T / 6);
    await subject.acknowledge();
    expect(subject.session.deadline).toBe(deadline);
    await subject.clock.run(T / 6);
    await subject.acknowledge();
    expect(subject.session.deadline).toBe(deadline + 200);
  });

  test('a failed attempt is reported, and changes nothing', async () => {
    subject.session.observe({ attemptFailed: (server) => void subject.log.push(`failed ${server}`) });
    subject.session.attemptFailed('zk2:2181', new Error('refused'));
    expect(subject.log).toEqual(['failed zk2:2181']);
    expect(subject.session.state).toBe('connecting');
  });
});

describe('contact', () => {
  test('there is none before a quorum has answered on the connection', async () => {
    expect(subject.session.inContact).toBe(false);
    subject.connect();
    expect(subject.session.inContact).toBe(false);
    await subject.acknowledge();
    expect(subject.session.inContact).toBe(true);
  });

  test('lasts as long as heartbeats are acknowledged', async () => {
    await subject.attach();
    for (let beats = 0; beats < 100; beats += 1) {
      await subject.live(T / 60);
      expect(subject.session.inContact).toBe(true);
    }
  });

  test('ends when the next acknowledgement is overdue, long before the connection is ended', async () => {
    await subject.attach();
    await subject.clock.run(T / 6 + T / 20 - 1);
    expect(subject.session.inContact).toBe(true);
    await subject.clock.run(1);
    expect(subject.session).toMatchObject({ state: 'connected', inContact: false });
    expect(subject.client.dropped).toEqual([]);
    await subject.acknowledge();
    expect(subject.session.inContact).toBe(true);
  });

  test('ends with a refused heartbeat, until one is committed', async () => {
    await subject.attach();
    await subject.clock.run(T / 6);
    subject.client.last.fail(new ZooKeeperError('THROTTLED_OP', 'busy'));
    await subject.clock.run(T / 6);
    expect(subject.session.inContact).toBe(false);
    await subject.acknowledge();
    expect(subject.session.inContact).toBe(true);
  });

  test('lasts while a blocked event loop sends no heartbeat', async () => {
    await subject.attach();
    subject.clock.stall(T / 2);
    expect(subject.session.inContact).toBe(true);
    // The timers of the loop come before its sockets.
    subject.clock.advance(0);
    expect(subject.session.inContact).toBe(true);
  });

  test('lasts while a blocked event loop does not read the answer that is there (H41)', async () => {
    await subject.attach();
    await subject.clock.run(T / 6);
    subject.clock.stall(T / 10);
    subject.clock.advance(0);
    expect(subject.session.inContact).toBe(true);
    await subject.acknowledge();
    await subject.clock.run(T / 20);
    expect(subject.session.inContact).toBe(true);
  });

  test('comes back with an answer that was too slow to keep the session', async () => {
    await subject.attach();
    for (let beats = 0; beats < 4; beats += 1) {
      await subject.clock.run(T / 6);
      await subject.clock.run(T / 4 - 1);
      const { inContact } = subject.session;
      expect(inContact).toBe(false);
      await subject.acknowledge();
    }
    const { alive, inContact } = subject.session;
    expect({ alive, inContact }).toEqual({ alive: false, inContact: true });
  });

  test('ends with the connection, and with the deadline, although the machine was suspended (H42)', async () => {
    await subject.attach();
    subject.disconnect();
    expect(subject.session.inContact).toBe(false);
    await subject.attach();
    expect(subject.session.inContact).toBe(true);
    subject.clock.sleep(T);
    expect(subject.session.inContact).toBe(false);
  });
});

describe('the negotiated timeout', () => {
  test('is used, and causes one warning if it differs from the requested one (H35)', async () => {
    await subject.attach({ sessionTimeout: 4_000 });
    expect(subject.session.timeout).toBe(4_000);
    expect(left()).toBe(4_000 - 50);
    subject.disconnect();
    subject.connect({ sessionTimeout: 4_000 });
    expect(subject.warnings).toEqual([
      expect.stringContaining('granted a session timeout of 4000 ms instead of the 12000 ms asked for'),
    ]);
  });

  test('shortens the deadline as soon as it is granted, even if the credentials are never answered', async () => {
    await subject.attach();
    const held = left();
    subject.disconnect();
    await subject.clock.run(1_000);
    subject.accept({ sessionTimeout: 4_000 });
    subject.session.attemptFailed('zk1:2181', new Error('cut'));
    expect(left()).toBe(4_000 - 50);
    expect(left()).toBeLessThan(held);
    await subject.clock.run(4_000);
    expect(subject.log.at(-1)).toBe('deadlinePassed');
    expect(subject.session.state).toBe('disconnected');
  });

  test('causes no warning if it is the requested one', () => {
    subject.connect();
    expect(subject.warnings).toEqual([]);
  });
});

test('servers that commit too slowly for the session timeout cause one warning', async () => {
  await subject.attach();
  const roundTrip = T / 8 + 1;
  const respond = async (): Promise<void> => {
    await subject.clock.run(T / 6);
    await subject.clock.run(roundTrip);
    await subject.acknowledge();
  };
  await respond();
  await respond();
  expect(subject.warnings).toEqual([]);
  for (let i = 0; i < 10; i += 1) await respond();
  expect(subject.warnings).toEqual([
    expect.stringContaining(
      `zk1:2181 takes about ${roundTrip} ms to commit a heartbeat, which is too long for a session timeout of ${T} ms`,
    ),
  ]);
  expect(subject.log).toContain('deadlinePassed');
});

test('round trips that a session can bear cause no warning, and keep it alive', async () => {
  await subject.attach();
  for (let i = 0; i < 12; i += 1) {
    await subject.clock.run(T / 6);
    await subject.clock.run(T / 8 - MARGIN / 4 - 1);
    await subject.acknowledge();
  }
  expect(subject.warnings).toEqual([]);
  expect(subject.log).not.toContain('deadlinePassed');
});

test('a blocked event loop causes a warning', async () => {
  await subject.attach();
  subject.clock.stall(T / 6 + T / 6 + 500);
  await subject.clock.run(0);
  expect(subject.warnings).toEqual([
    expect.stringContaining(
      'The event loop was blocked for about 2500 ms, with a session timeout of 12000 ms',
    ),
  ]);
});

describe('reachable', () => {
  test('is true at once while connected', async () => {
    subject.connect();
    await expect(subject.session.reachable()).resolves.toBe(true);
  });

  test('waits for the next connection, even if the loss of the last one is not reported yet', async () => {
    subject.connect();
    subject.client.connected = false;
    const reachable = subject.session.reachable();
    subject.disconnect();
    subject.connect();
    await expect(reachable).resolves.toBe(true);
  });

  test('is false once the session has ended', async () => {
    const reachable = subject.session.reachable();
    subject.session.ended('expired');
    await expect(reachable).resolves.toBe(false);
    await expect(subject.session.reachable()).resolves.toBe(false);
  });
});
