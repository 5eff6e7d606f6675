import { NEVER } from 'rxjs';
import { describe, expect, test } from 'vitest';
import { currentLock } from '../../lib/locking/current-lock.js';
import { runHeld } from '../../lib/locking/run-held.js';
import { settled } from './fake-clock.js';
import { hold } from './hold-harness.js';
import { TestGrant } from './test-grant.js';
import { ownError, run } from './work-harness.js';

describe('work that ends in time', () => {
  test('returns its result after the release is confirmed', async () => {
    const { work, outcome, grant, log } = run({ grant: new TestGrant(1n, true) });
    work.resolve('paid');
    await settled();
    expect(log).toEqual(['released']);
    expect(await isSettled(outcome)).toBe(false);
    grant.confirm();
    await expect(outcome).resolves.toBe('paid');
  });

  test('may be synchronous', async () => {
    const { held, log } = hold();
    await expect(runHeld(held, () => 'done')).resolves.toBe('done');
    expect(log).toContain('released');
  });

  test('rethrows its own error after the release', async () => {
    const { work, outcome, grant, log } = run({ grant: new TestGrant(1n, true) });
    work.reject(ownError);
    await settled();
    expect(log).toEqual(['released']);
    expect(await isSettled(outcome)).toBe(false);
    grant.confirm();
    await expect(outcome).rejects.toBe(ownError);
  });

  test('rethrows what it throws before its first await, even if that is not an Error', async () => {
    const { held, log } = hold();
    const thrown = runHeld(held, () => {
      throw 'text';
    });
    await expect(thrown).rejects.toBe('text');
    expect(log).toEqual(['released', 'ended']);
  });

  test('loses its result if its node turns out to have been deleted', async () => {
    const { work, outcome, grant } = run({ grant: new TestGrant(1n, true) });
    work.resolve('paid');
    grant.confirm(false);
    await expect(outcome).rejects.toMatchObject({ code: 'LOCK_LOST', reason: 'deleted' });
  });

  test('keeps its own error even then, which takes precedence over that of the release', async () => {
    const { work, outcome, grant } = run({ grant: new TestGrant(1n, true) });
    work.reject(ownError);
    grant.confirm(false);
    await expect(outcome).rejects.toBe(ownError);
  });
});

describe('a stream as the result', () => {
  test('keeps the lock, if it outlives the call', async () => {
    const { held, grant } = hold();
    await expect(runHeld(held, () => NEVER, 'outlive')).resolves.toBe(NEVER);
    await settled();
    expect(grant.releases).toBe(0);
    expect(held.isHeld()).toBe(true);
  });

  test('is refused otherwise, and the lock is released', async () => {
    const { held, grant } = hold();
    await expect(runHeld(held, () => NEVER)).rejects.toThrow(
      "Work under lock 'order:42' returned an Observable",
    );
    expect(grant.releases).toBe(1);
  });
});

test('the work can access its lock, even after an await and after its end (H48)', async () => {
  const { held } = hold();
  const found: unknown[] = [];
  let late: Promise<unknown> = Promise.resolve();
  await runHeld(held, async () => {
    found.push(currentLock());
    await settled();
    found.push(currentLock('order:42'), currentLock('other'));
    late = settled()
      .then(settled)
      .then(() => currentLock());
  });
  expect(found).toEqual([held, held, undefined]);
  expect(await late).toBe(held);
  expect(held.isHeld()).toBe(false);
  expect(currentLock()).toBeUndefined();
});

async function isSettled(promise: Promise<unknown>): Promise<boolean> {
  let done = false;
  const mark = () => void (done = true);
  promise.then(mark, mark);
  await settled();
  return done;
}
