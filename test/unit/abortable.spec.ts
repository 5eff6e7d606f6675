import { getEventListeners } from 'node:events';
import { beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import { AbortListeners } from '../../lib/locking/abort-listeners.js';
import { abortable, orAborted } from '../../lib/locking/abortable.js';
import { ObservedAbort } from '../fixtures/observed-abort.js';
import { settled } from './fake-clock.js';

let abort: ObservedAbort;
let stops: number;

beforeEach(() => {
  abort = new ObservedAbort();
  stops = 0;
});

const stop = () => void (stops += 1);

describe('an abortable promise', () => {
  test('unsubscribes once, and leaves no listener', async () => {
    let settle: (value: number) => void = () => {};
    const waiting = abortable<number>(abort, (resolve) => {
      settle = resolve;
      return stop;
    });
    expect(abort.subscribers).toBe(1);
    settle(1);
    settle(2);
    abort.abort(undefined);
    await expect(waiting).resolves.toBe(1);
    expect(stops).toBe(1);
    expect(abort.subscribers).toBe(0);
  });

  test('may settle during `start`', async () => {
    const error = new Error('at once');
    await expect(
      abortable(abort, (_, reject) => {
        reject(error);
        return stop;
      }),
    ).rejects.toBe(error);
    expect(stops).toBe(1);
    expect(abort.subscribers).toBe(0);
  });

  test('rejects with the reason of the abort', async () => {
    const waiting = abortable(abort, () => stop);
    abort.abort('enough');
    await expect(waiting).rejects.toBe('enough');
    expect(stops).toBe(1);
  });

  test('does not call `start` if it was already aborted', async () => {
    abort.abort('before');
    let started = false;
    const waiting = abortable(abort, () => {
      started = true;
      return stop;
    });
    await expect(waiting).rejects.toBe('before');
    expect(started).toBe(false);
  });
});

describe('several promises, or the abort', () => {
  const failed = new Error('the connection was lost');

  test('resolve with all outcomes in order, and leave no listener', async () => {
    const all = orAborted(abort, [Promise.resolve(1), Promise.resolve(2)]);
    expect(abort.subscribers).toBe(1);
    await expect(all).resolves.toEqual([1, 2]);
    expect(abort.subscribers).toBe(0);
  });

  test('reject with the first failure', async () => {
    await expect(orAborted(abort, [Promise.reject(failed)])).rejects.toBe(failed);
  });

  test.for(['before', 'after'])(
    'a failure after an abort %s the call, causes no unhandled rejection (H46)',
    async (moment) => {
      const unhandled: unknown[] = [];
      const listen = (reason: unknown) => unhandled.push(reason);
      process.on('unhandledRejection', listen);
      onTestFinished(() => void process.off('unhandledRejection', listen));
      let fail: (error: Error) => void = () => {};
      const failing = new Promise<never>((_, reject) => (fail = reject));

      if (moment === 'before') abort.abort('enough');
      const all = orAborted(abort, [failing, Promise.reject(failed)]);
      abort.abort('enough');

      await expect(all).rejects.toBe('enough');
      fail(failed);
      await settled();
      expect(unhandled).toEqual([]);
    },
  );
});

describe('listeners that share a signal (H47)', () => {
  let controller: AbortController;
  beforeEach(() => {
    controller = new AbortController();
  });

  const listeners = () => getEventListeners(controller.signal, 'abort').length;

  test('are one listener on the signal, removed with the last', () => {
    const aborts = new AbortListeners();
    const removals = [1, 2, 3].map(() => aborts.add(controller.signal, () => {}));
    expect(listeners()).toBe(1);
    removals[1]!();
    removals[0]!();
    expect(listeners()).toBe(1);
    removals[2]!();
    expect(listeners()).toBe(0);
  });

  test('are all called on abort, unless they were removed', () => {
    const aborts = new AbortListeners();
    const heard: number[] = [];
    const removals = [1, 2, 3].map((i) => aborts.add(controller.signal, () => heard.push(i)));
    removals[1]!();
    controller.abort();
    expect(heard).toEqual([1, 3]);
  });

  test('can be added again after all were removed', () => {
    const aborts = new AbortListeners();
    aborts.add(controller.signal, () => {})();
    let heard = 0;
    aborts.add(controller.signal, () => (heard += 1));
    controller.abort();
    expect(heard).toBe(1);
  });

  test('do not mix up signals', () => {
    const aborts = new AbortListeners();
    const heard: string[] = [];
    const other = new AbortController();
    aborts.add(controller.signal, () => heard.push('one'));
    aborts.add(other.signal, () => heard.push('other'));
    other.abort();
    expect(heard).toEqual(['other']);
  });

  test('follow it through one call each, also if it has aborted before, or the call fails', async () => {
    const aborts = new AbortListeners();
    const calls = [1, 2].map(() => aborts.during(controller.signal, (abort) => abortable(abort, () => stop)));
    expect(listeners()).toBe(1);
    await expect(
      aborts.during(controller.signal, () => Promise.reject(new Error('refused'))),
    ).rejects.toThrow('refused');
    controller.abort('enough');
    for (const call of calls) await expect(call).rejects.toBe('enough');
    await expect(aborts.during(controller.signal, async (abort) => abort?.reason)).resolves.toBe('enough');
    await expect(aborts.during(undefined, async (abort) => abort)).resolves.toBeUndefined();
    expect([stops, listeners()]).toEqual([2, 0]);
  });
});
