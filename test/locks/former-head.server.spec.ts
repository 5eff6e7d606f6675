import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { LockError, type LockOptions } from '../../lib/index.js';
import { ProxiedLocks } from '../faults/proxied-locks.js';
import { eventually } from '../support/eventually.js';
import { startTestServer, type TestServer } from '../support/test-server.js';

/** With `failure: 'closed'`, another node takes the place of each contender that has the lock. */
const KINDS: readonly (readonly [string, LockOptions, LockOptions])[] = [
  ['a lock', {}, {}],
  ['a closed lock', { failure: 'closed', owner: 'a' }, { failure: 'closed', owner: 'b' }],
  ['a closed lock that is open to others', { failure: 'closed', owner: 'a' }, {}],
];

describe.each(KINDS)('a caller that had %s last', { timeout: 60_000 }, (_kind, options, ofOthers) => {
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
    await lockAndRelease(5);
    const before = lists();
    await lockAndRelease(20);
    expect(lists()).toBe(before);
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

  test('lists again after a new connection', async () => {
    await lockAndRelease(10);
    setup.proxy.cutAll();
    await eventually(() => setup.count('resumed') === 1);
    const before = lists();
    await lockAndRelease(1);
    expect(lists()).toBe(before + 1);
  });
});
