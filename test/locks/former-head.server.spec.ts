import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { LockError, LockFairnessError, type LockOptions } from '../../lib/index.js';
import { ProxiedLocks } from '../faults/proxied-locks.js';
import { eventually } from '../support/eventually.js';
import { startTestServer, type TestServer } from '../support/test-server.js';

interface Kind {
  readonly kind: string;
  readonly options: LockOptions;
  readonly ofOthers: LockOptions;
  /** In so many cycles, others make as many nodes as it does in three. */
  readonly cyclesOfOthers: number;
}

const CLOSED: LockOptions = { failure: 'closed', owner: 'a' };
/** With `failure: 'closed'`, another node takes the place of each contender that has the lock. */
const KINDS: readonly Kind[] = [
  { kind: 'a lock', options: {}, ofOthers: {}, cyclesOfOthers: 3 },
  {
    kind: 'a closed lock',
    options: CLOSED,
    ofOthers: { failure: 'closed', owner: 'b' },
    cyclesOfOthers: 3,
  },
  { kind: 'a closed lock that is open to others', options: CLOSED, ofOthers: {}, cyclesOfOthers: 6 },
];

describe.each(KINDS)('a caller that had $kind last', { timeout: 60_000 }, (kind) => {
  const { options, ofOthers } = kind;
  let server: TestServer;
  let setup: ProxiedLocks;

  beforeAll(async () => {
    server = await startTestServer();
  });
  afterAll(() => server.giveBack());
  beforeEach(async () => {
    setup = await ProxiedLocks.start(server);
    return () => setup[Symbol.asyncDispose]();
  });

  const lists = (): number => setup.proxy.count('getChildren2');

  async function lockAndRelease(times: number): Promise<void> {
    for (let cycle = 0; cycle < times; cycle += 1) {
      const held = await setup.locks.lock('order', options);
      expect(await setup.contenders('order')).toHaveLength(1);
      await held.release();
    }
  }

  test('gets it again without a list, as long as nobody else joins', async () => {
    // Small numbers prove nothing: a few transactions of other sessions could have made the lock path again.
    await lockAndRelease(25);
    const before = lists();
    await lockAndRelease(20);
    expect(lists()).toBe(before);
  });

  test('gets it again with a larger token, also after somebody else had it', async () => {
    await lockAndRelease(10);
    const tokens: bigint[] = [];
    for (const locks of [setup.locks, setup.locks, setup.others, setup.locks, setup.locks]) {
      const held = await locks.lock('order', locks === setup.others ? ofOthers : options);
      tokens.push(held.fencingToken);
      await held.release();
    }
    expect(tokens.toSorted((a, b) => Number(a - b))).toEqual(tokens);
    expect(new Set(tokens).size).toBe(5);
  });

  test('waits for one that joined after its last release', async () => {
    await lockAndRelease(10);
    const other = await setup.others.lock('order', ofOthers);
    const waiting = setup.locks.lock('order', options);
    await eventually(async () => (await setup.contenders('order')).length === 2);
    expect(other.isHeld()).toBe(true);
    await other.release();
    expect((await waiting).isHeld()).toBe(true);
  });

  test('waits for one that joined while it still held the lock', async () => {
    await lockAndRelease(10);
    const held = await setup.locks.lock('order', options);
    const joining = setup.others.lock('order', ofOthers);
    await eventually(async () => (await setup.contenders('order')).length === 2);
    await held.release();
    const other = await joining;
    const waiting = setup.locks.lock('order', options);
    await eventually(async () => (await setup.contenders('order')).length === 2);
    expect(other.isHeld()).toBe(true);
    await other.release();
    await waiting;
  });

  test('waits again for the same holder after it has given up to wait', async () => {
    await lockAndRelease(10);
    const other = await setup.others.lock('order', ofOthers);
    for (const wait of [50, 50]) {
      await expect(setup.locks.lock('order', { ...options, wait })).rejects.toThrow(LockError);
      expect(other.isHeld()).toBe(true);
    }
    await other.release();
  });

  test('waits for one that has made the lock path again, although its number follows', async () => {
    await lockAndRelease(1);
    await setup.observer.delete(setup.path('order'));
    const other = await setup.others.lock('order', ofOthers);
    // Number 0 was that of its own last contender, and is now that of another process.
    const waiting = setup.locks.lock('order', options);
    await eventually(async () => (await setup.contenders('order')).length === 2);
    expect(other.isHeld()).toBe(true);
    await other.release();
    await waiting;
  });

  test('waits for one that has made the lock path again, with as many nodes as it had', async () => {
    await lockAndRelease(3);
    await setup.observer.delete(setup.path('order'));
    for (let cycle = 1; cycle < kind.cyclesOfOthers; cycle += 1)
      await (await setup.others.lock('order', ofOthers)).release();
    const other = await setup.others.lock('order', ofOthers);
    const waiting = setup.locks.lock('order', options);
    await eventually(() => setup.count('waiting') === 1);
    expect(other.isHeld()).toBe(true);
    await other.release();
    const held = await waiting;
    expect(await setup.contenders('order')).toHaveLength(1);
    await held.release();
    expect(await setup.contenders('order')).toEqual([]);
  });

  test('lists again after a new connection', async () => {
    await lockAndRelease(10);
    setup.proxy.cutAll();
    await eventually(() => setup.count('resumed') === 1);
    const before = lists();
    await lockAndRelease(1);
    expect(lists()).toBe(before + 1);
  });
});

describe('a process that had a closed lock last', () => {
  let server: TestServer;

  beforeAll(async () => {
    server = await startTestServer();
  });
  afterAll(() => server.giveBack());

  /** Small numbers prove nothing: a few transactions, also those of other sessions, could have made the lock path again. */
  async function useOften({ locks }: ProxiedLocks): Promise<void> {
    for (let cycle = 0; cycle < 25; cycle += 1) await (await locks.lock('order', CLOSED)).release();
  }

  test('gets it again in the transaction in which it joins the queue', async () => {
    await using setup = await ProxiedLocks.start(server);
    await useOften(setup);
    const joined = setup.proxy.count('create2');
    for (const method of ['lock', 'tryLock', 'lock'] as const) {
      const held = await setup.locks[method]('order', CLOSED);
      expect(await setup.contenders('order')).toEqual([expect.stringContaining('-closed-lock-')]);
      expect(await held?.release()).toBe(true);
    }
    expect(setup.proxy.count('create2')).toBe(joined);
    expect(await setup.contenders('order')).toEqual([]);
  });

  test('is told that the lock is in use without a queue', async () => {
    await using setup = await ProxiedLocks.start(server);
    await useOften(setup);
    await using _simple = await setup.others.lock('order', { fair: false });
    await expect(setup.locks.lock('order', CLOSED)).rejects.toThrow(LockFairnessError);
  });

  test('waits for its last release before that, and not longer than for the connection', async () => {
    await using setup = await ProxiedLocks.start(server, { release: 'sent' });
    const use = (): Promise<void> => setup.locks.withLock('order', CLOSED, () => {});
    await useOften(setup);
    const joined = setup.proxy.count('create2');
    await use();
    expect(setup.proxy.count('create2')).toBe(joined);
    await setup.hasContenders('order', 0);
    // The first one is that of the grant.
    const removal = setup.proxy.once('multi', 'forwardThenCutBeforeReply', { occurrence: 2 });
    await use();
    await Promise.all([removal.fired, use()]);
    await setup.hasContenders('order', 0);
  });
});
