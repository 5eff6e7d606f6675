import { afterAll, beforeAll, expect, it } from 'vitest';
import { LockUnavailableError } from '../../lib/index.js';
import { eventually } from '../support/eventually.js';
import { HostileStage } from './hostile-stage.js';

/** With 10,000 names of this length, the list of a lock path has more than 1 MB. */
const NAME = 'x'.repeat(110);
const LONG_NAME = 'y'.repeat(10_000);
const BATCH = 200;

let stage: HostileStage;
beforeAll(async () => {
  stage = await HostileStage.start();
});
afterAll(() => stage[Symbol.asyncDispose]());

async function plantMany(resource: string, name: string, count: number): Promise<void> {
  await stage.plant(resource, `${name}-first`, 'persistent');
  // In batches: a heartbeat of the locks must not wait behind all of them.
  for (let start = 0; start < count; start += BATCH) {
    const numbers = Array.from({ length: Math.min(BATCH, count - start) }, (_, index) => start + index);
    await Promise.all(
      numbers.map((number) =>
        stage.intruder.create2(stage.path(resource, `${name}-${number}`), 'persistent'),
      ),
    );
  }
}

it('10,000 foreign children do not prevent a lock', async () => {
  await plantMany('crowded', NAME, 10_000);
  await using held = await stage.locks.lock('crowded');
  expect(await stage.locks.tryLock('crowded')).toBeNull();
  const { holder, waiters } = await stage.locks.inspect('crowded');
  expect([holder?.fencingToken, waiters]).toEqual([held.fencingToken, []]);
  expect(stage.events.ofType('suspended')).toEqual([]);
});

it('a list of 12 MiB, the size for 200,000 contenders, does not prevent a lock', async () => {
  await plantMany('long', LONG_NAME, 1_200);
  await using held = await stage.locks.lock('long');
  expect(await stage.locks.tryLock('long')).toBeNull();
  expect(held.isHeld()).toBe(true);
  expect(stage.events.ofType('suspended')).toEqual([]);
});

it('a list of more than 16 MiB fails the calls that need it, and no others', async () => {
  await using other = await stage.locks.lock('other');
  await plantMany('overfull', LONG_NAME, 1_680);
  const { locks } = stage;
  for (const attempt of [
    () => locks.lock('overfull'),
    () => locks.tryLock('overfull'),
    () => locks.withLock('overfull', () => {}),
    () => locks.inspect('overfull'),
  ]) {
    const error: unknown = await attempt().catch((reason: unknown) => reason);
    expect(error).toBeInstanceOf(LockUnavailableError);
    expect(error).toMatchObject({ resource: 'overfull', cause: { code: 'REPLY_TOO_LARGE' } });
    expect((error as Error).message).toMatch(
      /REPLY_TOO_LARGE: The reply has \d{8} bytes, more than this client reads \(\/locks\/overfull\)\. Remove nodes of other applications/,
    );
  }
  await eventually(async () => {
    const left = await stage.intruder.getChildren(stage.path('overfull'));
    expect(left.filter((name) => name.startsWith('_c_'))).toEqual([]);
  });
  expect(other.isHeld()).toBe(true);
  expect(stage.events.ofType('suspended')).toEqual([]);
});
