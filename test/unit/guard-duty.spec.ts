import { beforeEach, describe, expect, test } from 'vitest';
import type { KnownSession } from '../../lib/zookeeper/client/session-credentials.js';
import { GuardDuty } from '../../lib/zookeeper/guard/guard-duty.js';
import { decodeMessage, encodeMessage } from '../../lib/zookeeper/guard/guard-message.js';
import { FakeClock } from './fake-clock.js';

const T = 20_000;
const PARENT = 4_711;
const SERVERS = [{ host: 'zk1', port: 2181 }];
const AUTH = [{ scheme: 'digest', credential: Buffer.from('shop:secret') }];
const PROCESS = { pid: PARENT, servers: SERVERS, auth: AUTH };

let clock: FakeClock;
let dead: boolean;
let closed: [sessionId: bigint, limit: number][];
let duty: GuardDuty;

beforeEach(() => {
  clock = new FakeClock();
  dead = false;
  closed = [];
  duty = new GuardDuty({
    clock,
    isDead: (pid) => pid === PARENT && dead,
    closeSession: async ({ sessionId }, process, limit) => {
      expect(process).toBe(PROCESS);
      closed.push([sessionId, limit]);
    },
  });
  duty.receive({ kind: 'guard', process: PROCESS });
});

function session(sessionId: bigint): KnownSession {
  return { sessionId, password: Buffer.alloc(16, 1), sessionTimeout: T };
}

function opened(sessionId: bigint): void {
  duty.receive({ kind: 'opened', session: session(sessionId) });
}

describe('a crash guard', () => {
  test('closes every open session once when the pipe has ended and the process is dead', async () => {
    for (const id of [1n, 2n, 3n, 1n]) opened(id);
    duty.receive({ kind: 'ended', sessionId: 2n });
    dead = true;
    await duty.pipeEnded();

    expect(closed).toEqual([
      [1n, T],
      [3n, T],
    ]);
  });

  test('does nothing for as long as there is silence', async () => {
    opened(1n);
    dead = true;
    await clock.run(10 * T);

    expect(closed).toEqual([]);
  });

  test('waits for the death of a process whose pipe has ended first', async () => {
    opened(1n);
    const done = duty.pipeEnded();
    await clock.run(T / 2);
    expect(closed).toEqual([]);

    dead = true;
    await clock.run(10);
    await done;
    expect(closed).toEqual([[1n, T / 2 - 5]]);
  });

  test('leaves the sessions of a process that lives on, and ends when they have expired', async () => {
    opened(1n);
    const done = duty.pipeEnded();
    await clock.run(T);
    await done;
    dead = true;
    await clock.run(T);

    expect(closed).toEqual([]);
    expect(clock.timers).toBe(0);
  });

  test('ends at once without sessions', async () => {
    await duty.pipeEnded();
    expect(closed).toEqual([]);
  });
});

test('messages keep ids, passwords and certificates', () => {
  const tls = { ca: [Buffer.from('-----BEGIN'), 'text'], rejectUnauthorized: true };
  const messages = [
    { kind: 'guard', process: { ...PROCESS, tls } },
    { kind: 'opened', session: session(2n ** 63n - 1n) },
    { kind: 'ended', sessionId: -1n },
  ] as const;
  const lines = messages.map((message) => encodeMessage(message));

  expect(lines.every((line) => line.indexOf('\n') === line.length - 1)).toBe(true);
  expect(lines.map((line) => decodeMessage(line.trim()))).toEqual(messages);
});
