import { beforeEach, describe, expect, test } from 'vitest';
import { ZooKeeperError, type ZooKeeperErrorCode } from '../../lib/zookeeper/client/zookeeper-error.js';
import { settled, type FakeClock } from './fake-clock.js';
import { HeartbeatUnderTest, INTERVAL, T } from './heartbeat-harness.js';
import type { ScriptedClient } from './scripted-client.js';

let subject: HeartbeatUnderTest;
let clock: FakeClock;
let client: ScriptedClient;

beforeEach(() => {
  subject = new HeartbeatUnderTest();
  ({ clock, client } = subject);
});

const failure = (code: ZooKeeperErrorCode) => new ZooKeeperError(code, 'so it is');

describe('a heartbeat without an answer', () => {
  test('goes ahead of all other requests', () => {
    subject.beat();
    expect(client.last.bounds).toEqual({ priority: 'session' });
  });

  test('has T/4, in monotonic time', async () => {
    subject.beat();
    await subject.answer(0);
    await clock.run(INTERVAL);
    clock.sleep(60_000);
    await clock.run(T / 4 - 1);
    expect(client.dropped).toEqual([]);
    await clock.run(1);
    expect(client.dropped).toHaveLength(1);
  });

  test('ends the connection, and with it the heartbeats (H30)', async () => {
    subject.beat();
    await clock.run(60_000);
    expect(client.dropped).toEqual([expect.objectContaining({ code: 'CONNECTION_LOSS' })]);
    expect(String(client.dropped[0])).toContain('zk1:2181 left a heartbeat unanswered for 3000 ms');
    expect(client.commits).toHaveLength(1);
    expect(clock.timers).toBe(0);
  });

  test('waits for as long as the server works through what was sent before it (H62)', async () => {
    subject.beat();
    for (let i = 0; i < 10; i += 1) {
      await clock.run(T / 4 - 1);
      client.answeredAt = clock.monotonic();
    }
    expect(client.dropped).toEqual([]);
    await subject.answer(0);
    expect(subject.log.at(-1)).toContain('acknowledged');
  });

  test('has T/4 from the last answer', async () => {
    subject.beat();
    await clock.run(1_000);
    client.answeredAt = clock.monotonic();
    await clock.run(T / 4 - 1);
    expect(client.dropped).toEqual([]);
    await clock.run(1);
    expect(client.dropped).toHaveLength(1);
  });

  test('that comes in the turn in which the time is up is not missed (H41)', async () => {
    subject.beat();
    await settled();
    clock.stall(T / 4);
    // The timers come first, and then the sockets.
    clock.advance(0);
    client.last.acknowledge();
    await settled();
    await settled();
    expect(client.dropped).toEqual([]);
    expect(subject.log.at(-1)).toContain('acknowledged');
  });
});

test.for(['CONNECTION_LOSS', 'SESSION_EXPIRED'] as const)(
  'a heartbeat that a server refuses with %s ends the connection: the next handshake tells whether the session goes on',
  async (code) => {
    subject.beat();
    const refusal = failure(code);
    client.last.fail(refusal);
    await clock.run(60_000);
    expect(client.dropped).toEqual([refusal]);
    expect(client.commits).toHaveLength(1);
    expect(subject.log).toHaveLength(1);
    expect(clock.timers).toBe(0);
  },
);

test.for(['THROTTLED_OP', 'REQUEST_TIMEOUT', 'UNKNOWN'] as const)(
  'a heartbeat refused with %s proves nothing, and the next one is sent at its time',
  async (code) => {
    subject.beat();
    await clock.run(500);
    client.last.fail(failure(code));
    await clock.run(INTERVAL - 1);
    expect(client.commits).toHaveLength(1);
    await clock.run(1);
    expect(client.commits).toHaveLength(2);
    expect(subject.log).toEqual(['0 sent before, at 0: 0', 'refused 500', '1 sent before, at 2500: 2500']);
    expect(client.dropped).toEqual([]);
  },
);

describe('a stopped heartbeat', () => {
  test('sends nothing more', async () => {
    const heartbeat = subject.beat();
    await subject.answer(0);
    heartbeat.stop();
    expect(clock.timers).toBe(0);
    await clock.run(60_000);
    expect(client.commits).toHaveLength(1);
  });

  test.for(['acknowledge', 'THROTTLED_OP', 'CONNECTION_LOSS'] as const)(
    'ignores the outcome of the one in flight: %s',
    async (end) => {
      const heartbeat = subject.beat();
      heartbeat.stop();
      if (end === 'acknowledge') client.last.acknowledge();
      else client.last.fail(failure(end));
      await clock.run(60_000);
      expect(subject.log).toHaveLength(1);
      expect(client.dropped).toEqual([]);
      expect(client.commits).toHaveLength(1);
      expect(clock.timers).toBe(0);
    },
  );
});

describe('a server that refuses heartbeats', () => {
  /** Refuses every heartbeat for `ms`. */
  async function refuse(ms: number): Promise<void> {
    const end = clock.monotonic() + ms;
    while (clock.monotonic() < end) {
      client.last.fail(failure('THROTTLED_OP'));
      await clock.run(Math.min(INTERVAL, end - clock.monotonic()));
    }
  }

  test('loses the connection after T/2, because another one may commit them', async () => {
    subject.beat();
    await refuse(T / 2);
    expect(client.dropped).toEqual([]);
    client.last.fail(failure('THROTTLED_OP'));
    await clock.run(T);
    expect(String(client.dropped)).toContain('zk1:2181 has refused all heartbeats for 6000 ms: ');
    expect(String(client.dropped)).toContain('THROTTLED_OP');
    expect(client.dropped).toHaveLength(1);
    expect(clock.timers).toBe(0);
  });

  test('keeps it if it commits one of them', async () => {
    subject.beat();
    await refuse(T / 2);
    await subject.answer(0);
    await clock.run(INTERVAL);
    await refuse(T / 2);
    expect(client.dropped).toEqual([]);
  });
});
