import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createLockService, LockFairnessError, LockTimeoutError } from '../../lib/index.js';
import { eventually } from '../support/eventually.js';
import { FaultProxy } from '../support/fault-proxy.js';
import { withError } from '../support/with-error.js';
import { LONG_WAIT_MS } from '../fixtures/wait-clock.js';
import { HostileStage } from './hostile-stage.js';

const MB = 1024 * 1024;
const NO_AUTH = -102;
const CONTENDER = '_c_0e8b2b1c-3f1d-4a56-9c0e-7d9f3c1b2a45-lock-';
const CLOSED = '_c_0e8b2b1c-3f1d-4a56-9c0e-7d9f3c1b2a46-closed-lock-0000000000';

let stage: HostileStage;
let resources = 0;
beforeAll(async () => {
  stage = await HostileStage.start();
});
afterAll(() => stage[Symbol.asyncDispose]());

/** Resolves with the waiting attempt, in an object because `await` would also wait for the lock. */
async function queueFor(resource: string, wait?: number) {
  const { locks, events } = stage;
  const before = events.ofType('waiting').length;
  const attempt = locks.lock(resource, { wait });
  await events.told('waiting', before + 1);
  return { attempt };
}

describe('a contender that outlives its session', () => {
  it('blocks until it is deleted, and waiters time out or are granted the lock after it', async () => {
    const path = await stage.plant('stays', CONTENDER, 'persistent-sequential');
    const { attempt } = await queueFor('stays');
    expect(await stage.locks.tryLock('stays')).toBeNull();
    const late = await queueFor('stays', LONG_WAIT_MS);
    stage.clock.endWaits();
    await expect(late.attempt).rejects.toBeInstanceOf(LockTimeoutError);

    await stage.intruder.delete(path);
    expect((await attempt).isHeld()).toBe(true);
    expect(await (await attempt).release()).toBe(true);
  });

  it('and has children blocks until all are deleted', async () => {
    const path = await stage.plant('grows', CONTENDER, 'persistent-sequential');
    await stage.intruder.create2(`${path}/${CONTENDER}0000000000`);
    const { attempt } = await queueFor('grows');

    await stage.intruder.delete(`${path}/${CONTENDER}0000000000`);
    expect(await stage.locks.tryLock('grows')).toBeNull();
    await stage.intruder.delete(path);
    expect(await (await attempt).release()).toBe(true);
  });
});

it.each([
  ['tell others that its node exists', expect.any(BigInt)],
  ['since 3.8.4 and 3.9.2 do not tell that, either', undefined],
])(
  'a contender that may not be read is shown without its owner, if servers %s',
  async (_what, fencingToken) => {
    await using proxy = await FaultProxy.start(stage.server);
    await using reader = await createLockService({
      connectString: proxy.connectString,
      root: stage.path('').slice(0, -1),
    });
    if (fencingToken === undefined) proxy.rewriteReply('exists', (reply) => withError(reply, NO_AUTH));
    const held = await stage.locks.lock('private');
    const nobody = [{ permissions: 31, scheme: 'ip', id: '192.0.2.1' }];
    const path = stage.path('private', CONTENDER);
    const { path: hidden } = await stage.intruder.create2(
      path,
      'ephemeral-sequential',
      Buffer.from('x'),
      nobody,
    );
    const { holder, waiters } = await reader.inspect('private');
    expect(holder?.fencingToken).toBe(held.fencingToken);
    expect(waiters).toEqual([{ owner: undefined, mode: 'exclusive', fencingToken }]);
    expect(await reader.requestRelease('private')).toBe(true);
    await stage.intruder.delete(hidden);
    expect(await held.release()).toBe(true);
  },
);

it('a closed lock whose record is too large to be read is shown as held, although its node is younger than that of a waiter', async () => {
  const { locks, intruder } = stage;
  const behind = await stage.plant('oversized', CONTENDER, 'ephemeral-sequential');
  const closed = await stage.plant('oversized', CLOSED, 'persistent', Buffer.alloc(17 * MB));
  const { holder, waiters } = await locks.inspect('oversized');
  expect([holder?.failure, waiters.length]).toEqual(['closed', 1]);
  await Promise.all([behind, closed].map((path) => intruder.delete(path)));
});

describe('sequence numbers chosen by an intruder', () => {
  it.each([
    ['the smallest', 'x-lock--2147483648'],
    ['one that fits into no integer', 'x-lock-99999999999999999999'],
    ['400 digits', `x-lock-${'9'.repeat(400)}`],
    ['one digit', 'x__lock__0'],
    ['minus zero', 'x-lock--0'],
  ])('block the lock until they are deleted: %s', async (_what, name) => {
    const resource = `early:${(resources += 1)}`;
    const early = await stage.plant(resource, name, 'ephemeral');
    expect(await stage.locks.tryLock(resource)).toBeNull();
    const { attempt } = await queueFor(resource);
    await stage.intruder.delete(early);
    const held = await attempt;

    // A later one does not affect the holder, and blocks later waiters.
    const late = await stage.plant(resource, name, 'ephemeral');
    const next = await queueFor(resource);
    expect(held.isHeld()).toBe(true);
    expect((await stage.locks.inspect(resource)).holder?.fencingToken).toBe(held.fencingToken);
    expect(await held.release()).toBe(true);
    expect(await stage.locks.tryLock(resource)).toBeNull();
    await stage.intruder.delete(late);
    expect((await next.attempt).fencingToken).toBeGreaterThan(held.fencingToken);
    expect(await (await next.attempt).release()).toBe(true);
  });

  it.each(['x-lock-', 'x-lock-abc', 'x-lock-0x10', 'x-lock-1.5', 'lock-0000000000', '-LOCK-0000000000'])(
    'are ignored if malformed: %s',
    async (name) => {
      await stage.plant('foreign', name, 'persistent');
      await using held = await stage.locks.tryLock('foreign');
      expect(held?.isHeld()).toBe(true);
      expect((await stage.locks.inspect('foreign')).waiters).toEqual([]);
    },
  );
});

it('10 MB of data on the lock path and on its parent do not prevent a lock', async () => {
  await stage.locks.withLock('large', () => {});
  for (const path of ['/locks', stage.path('large')])
    await stage.intruder.setData(path, Buffer.alloc(10 * MB));
  await using held = await stage.locks.lock('large');
  expect(await stage.locks.tryLock('large')).toBeNull();
  expect((await stage.locks.inspect('large')).holder?.fencingToken).toBe(held.fencingToken);
});

it('a holder whose node is filled with 10 MB keeps the lock, and is notified of the deletion of the node', async () => {
  const held = await stage.locks.lock('filled');
  const [node] = await stage.intruder.getChildren(stage.path('filled'));
  // The holder watches its node after it has held the lock for some time.
  await eventually(async () => expect(await stage.server.fourLetter('wchp')).toContain(node!));
  await stage.intruder.setData(stage.path('filled', node), Buffer.alloc(10 * MB));
  await eventually(async () => expect(await stage.server.fourLetter('wchp')).toContain(node!));
  expect(held.isHeld()).toBe(true);

  await stage.intruder.delete(stage.path('filled', node));
  await eventually(() => expect(held.isHeld()).toBe(false));
  expect(held.signal.reason).toMatchObject({ reason: 'deleted' });
  expect(await held.release()).toBe(false);
});

it('a lock path that can have no children fails with an error that says so', async () => {
  await stage.intruder.create2(stage.path('childless'), 'ephemeral');
  const error: unknown = await stage.locks.lock('childless').catch((reason: unknown) => reason);
  expect(error).toBeInstanceOf(LockFairnessError);
  expect(error).toMatchObject({ resource: 'childless', fair: false });
});
