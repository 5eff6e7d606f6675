import { getEventListeners } from 'node:events';
import { beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import { abortOf } from '../../lib/locking/abort.js';
import { AbortListeners } from '../../lib/locking/abort-listeners.js';
import { abortable, orAborted } from '../../lib/locking/abortable.js';
import { settled } from './fake-clock.js';

let controller: AbortController;
let stops: number;

beforeEach(() => {
  controller = new AbortController();
  stops = 0;
});

const stop = () => void (stops += 1);
const listeners = () => getEventListeners(controller.signal, 'abort').length;

describe('an abortable promise', () => {
  test('unsubscribes once, and leaves no listener', async () => {
    let settle: (value: number) => void = () => {};
    const waiting = abortable<number>(abortOf(controller.signal), (resolve) => {
      settle = resolve;
      return stop;
    });
    expect(listeners()).toBe(1);
    settle(1);
    settle(2);
    controller.abort();
    await expect(waiting).resolves.toBe(1);
    expect(stops).toBe(1);
    expect(listeners()).toBe(0);
  });

  test('may settle during `start`', async () => {
    const error = new Error('at once');
    await expect(
      abortable(abortOf(controller.signal), (_, reject) => {
        reject(error);
        return stop;
      }),
    ).rejects.toBe(error);
    expect(stops).toBe(1);
    expect(listeners()).toBe(0);
  });

  test('rejects with the reason of the signal', async () => {
    const waiting = abortable(abortOf(controller.signal), () => stop);
    controller.abort('enough');
    await expect(waiting).rejects.toBe('enough');
    expect(stops).toBe(1);
  });

  test('does not call `start` if the signal was already aborted', async () => {
    controller.abort('before');
    let started = false;
    const waiting = abortable(abortOf(controller.signal), () => {
      started = true;
      return stop;
    });
    await expect(waiting).rejects.toBe('before');
    expect(started).toBe(false);
  });
});

describe('several promises, or the signal', () => {
  const failed = new Error('the connection was lost');

  test('resolve with all outcomes in order, and leave no listener', async () => {
    const all = orAborted(abortOf(controller.signal), [Promise.resolve(1), Promise.resolve(2)]);
    expect(listeners()).toBe(1);
    await expect(all).resolves.toEqual([1, 2]);
    expect(listeners()).toBe(0);
  });

  test('reject with the first failure', async () => {
    await expect(orAborted(abortOf(controller.signal), [Promise.reject(failed)])).rejects.toBe(failed);
  });

  test.for(['before', 'after'])(
    'a failure after the abort of the signal, %s the call, causes no unhandled rejection (H46)',
    async (moment) => {
      const unhandled: unknown[] = [];
      const listen = (reason: unknown) => unhandled.push(reason);
      process.on('unhandledRejection', listen);
      onTestFinished(() => void process.off('unhandledRejection', listen));
      let fail: (error: Error) => void = () => {};
      const failing = new Promise<never>((_, reject) => (fail = reject));

      if (moment === 'before') controller.abort('enough');
      const all = orAborted(abortOf(controller.signal), [failing, Promise.reject(failed)]);
      controller.abort('enough');

      await expect(all).rejects.toBe('enough');
      fail(failed);
      await settled();
      expect(unhandled).toEqual([]);
    },
  );
});

describe('listeners that share a signal (H47)', () => {
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
});
