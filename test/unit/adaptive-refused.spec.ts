import { lastValueFrom, of, repeat, retry, toArray } from 'rxjs';
import { describe, expect, test } from 'vitest';
import type { AdaptiveResult } from '../../lib/execution/adaptive-result.js';
import { unhandledRejections } from '../support/unhandled-rejections.js';
import { called, promised, steps } from './adaptive-harness.js';
import { settled } from './fake-clock.js';

const REFUSED = new Error('no server');

/** A call that got no lock. Its result has not been used for a turn of the event loop. */
async function refused() {
  const call = called(steps);
  const unhandled = await unhandledRejections(async () => {
    call.provider.last.fail(REFUSED);
    await settled();
  });
  return { ...call, unhandled };
}

test('a call that got no lock before its result was used is reported, and does not end the process (H46)', async () => {
  const { unhandled, unused, calls } = await refused();
  expect(unhandled).toEqual([]);
  expect(unused).toEqual([REFUSED]);
  expect(calls).toEqual([]);
});

describe('the error of a call that got no lock', () => {
  const USES = {
    await: async (result: AdaptiveResult) => result,
    subscribe: async (result: AdaptiveResult) => lastValueFrom(result),
    iterate: async (result: AdaptiveResult) => result.next(),
  };

  test.each(Object.entries(USES))('is thrown to those who %s later', async (_, use) => {
    const { result, provider } = await refused();
    await expect(use(result)).rejects.toBe(REFUSED);
    expect(provider.attempts).toHaveLength(1);
  });

  test.each(Object.entries(USES))('is not reported if there are those who %s', async (_, use) => {
    const { result, provider, unused } = called(steps);
    const used = expect(use(result)).rejects.toBe(REFUSED);
    provider.last.fail(REFUSED);
    await used;
    await settled();
    expect(unused).toEqual([]);
  });

  test('is not reported if they come in the same turn of the event loop, after the failure', async () => {
    const { result, provider, unused } = called(steps);
    provider.last.fail(REFUSED);
    for (let microtask = 0; microtask < 20; microtask += 1) await Promise.resolve();
    await expect(result.then()).rejects.toBe(REFUSED);
    await settled();
    expect(unused).toEqual([]);
  });
});

describe('a second subscription asks for the lock again', () => {
  test('after an error', async () => {
    const { result, provider, calls, grantLock } = called(() => of('fed'));
    const values = lastValueFrom(result.pipe(retry(2), toArray()));
    provider.last.fail(REFUSED);
    await settled();
    provider.last.fail(REFUSED);
    await settled();
    await grantLock();
    expect([await values, calls, provider.attempts.length]).toEqual([['fed'], [true], 3]);
  });

  test('after a call that was skipped, however often', async () => {
    const { result, provider, calls, grantLock } = called(() => of('fed'), true);
    const values = lastValueFrom(result.pipe(repeat(5_001), toArray()));
    for (let skipped = 0; skipped < 5_000; skipped += 1) {
      provider.last.busy();
      await settled();
    }
    await grantLock();
    expect([await values, calls, provider.attempts.length]).toEqual([['fed'], [true], 5_001]);
  });
});

test('an error of the method itself is an unhandled rejection, as that of any Promise that nobody uses', async () => {
  const { grantLock, reject, unused } = promised();
  const failure = new Error('no money');
  const unhandled = await unhandledRejections(async () => {
    await grantLock();
    reject(failure);
  });
  expect(unhandled).toEqual([failure]);
  expect(unused).toEqual([]);
});
