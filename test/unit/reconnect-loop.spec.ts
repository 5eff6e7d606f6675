import { describe, expect, test } from 'vitest';
import { ReconnectLoop } from '../../lib/zookeeper/client/reconnect-loop.js';
import { ServerList } from '../../lib/zookeeper/client/server-list.js';
import { FakeClock, settled } from './fake-clock.js';

const ATTEMPT_MS = 2_500;

interface Harness {
  readonly clock: FakeClock;
  readonly reconnects: ReconnectLoop;
  /** Times at which an address was dialled. */
  readonly dialled: number[];
  /** Connects, and loses the connection after `ms`; resolves with the pause before the next address is dialled. */
  connectionOf(ms: number): Promise<number>;
}

/** A loop with a usual pause of 0 by default, the worst case of jitter. */
async function startedLoop(attemptLimit = ATTEMPT_MS, reconnectDelay = 0): Promise<Harness> {
  const clock = new FakeClock();
  const dialled: number[] = [];
  const reconnects = new ReconnectLoop(
    {
      servers: new ServerList([{ host: '127.0.0.1', port: 2181 }]),
      clock,
      reconnectDelay: () => reconnectDelay,
      attemptLimit: () => attemptLimit,
    },
    { dial: () => void dialled.push(clock.monotonic()), lookupFailed: () => {} },
  );
  reconnects.start();
  await settled();
  const connectionOf = async (ms: number): Promise<number> => {
    reconnects.connected();
    clock.advance(ms);
    const lostAt = clock.monotonic();
    const before = dialled.length;
    reconnects.lost();
    await settled();
    for (let tries = 0; dialled.length === before && tries < 3; tries += 1) {
      await clock.run(clock.nextTimerIn ?? 0);
    }
    return dialled.at(-1)! - lostAt;
  };
  return { clock, reconnects, dialled, connectionOf };
}

async function pauses(harness: Harness, count: number): Promise<number[]> {
  const found: number[] = [];
  while (found.length < count) found.push(await harness.connectionOf(3));
  return found;
}

test('a look-up that takes longer than an attempt may take by now is not waited for', async () => {
  const clock = new FakeClock();
  let limit = 2_500;
  let lookups = 0;
  // The first look-up tells the address, and no later one ends.
  const lookup = () => (++lookups === 1 ? Promise.resolve(['127.0.0.1']) : new Promise<string[]>(() => {}));
  const dialled: string[] = [];
  const reconnects = new ReconnectLoop(
    {
      servers: new ServerList([{ host: 'zk1', port: 2181 }], { lookup }),
      clock,
      reconnectDelay: () => 0,
      attemptLimit: () => limit,
    },
    { dial: ({ address }) => void dialled.push(address), lookupFailed: () => {} },
  );
  reconnects.start();
  await settled();
  reconnects.connected();
  reconnects.lost();
  await settled();
  expect(dialled).toHaveLength(1);
  limit = 500;
  reconnects.hurry();
  await clock.run(500);
  expect(dialled).toHaveLength(2);
});

describe('reconnects after connections that end at once', () => {
  test('are spaced out increasingly, even if jitter makes every usual pause 0', async () => {
    const harness = await startedLoop();
    expect(await pauses(harness, 9)).toEqual([0, 25, 50, 100, 200, 400, 500, 500, 500]);
  });

  test('are never spaced out by more than half of what an attempt may take', async () => {
    const harness = await startedLoop(300);
    expect(await pauses(harness, 6)).toEqual([0, 25, 50, 100, 150, 150]);
  });

  test('keep a longer configured pause', async () => {
    const harness = await startedLoop(ATTEMPT_MS, 70);
    expect(await pauses(harness, 5)).toEqual([0, 70, 70, 100, 200]);
  });

  test('are immediate again after a connection that lasted', async () => {
    const harness = await startedLoop();
    await pauses(harness, 5);
    expect(await harness.connectionOf(ATTEMPT_MS)).toBe(0);
    expect(await pauses(harness, 3)).toEqual([0, 25, 50]);
  });

  test('have one timer at a time, and none after stop', async () => {
    const harness = await startedLoop();
    await pauses(harness, 4);
    expect(harness.clock.timers).toBe(0);
    harness.reconnects.connected();
    harness.reconnects.lost();
    expect(harness.clock.timers).toBe(1);
    harness.reconnects.stop();
    expect(harness.clock.timers).toBe(0);
  });
});
