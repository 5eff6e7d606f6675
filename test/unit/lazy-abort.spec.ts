import { beforeEach, expect, test } from 'vitest';
import { LazyAbort } from '../../lib/locking/lazy-abort.js';
import { uncaughtExceptions } from '../support/uncaught-exceptions.js';

let abort: LazyAbort<string>;
let heard: string[];

beforeEach(() => {
  abort = new LazyAbort();
  heard = [];
});

test('a signal that is first read after the abort has aborted with its reason', () => {
  expect(abort.aborted).toBe(false);
  abort.abort('lost');
  expect(abort.aborted).toBe(true);
  expect(abort.signal.aborted).toBe(true);
  expect(abort.signal.reason).toBe('lost');
  expect(() => abort.throwIfAborted()).toThrow('lost');
});

test('a signal that was read before aborts, before callbacks are called', () => {
  const { signal } = abort;
  signal.addEventListener('abort', () => heard.push(`signal ${signal.reason}`));
  abort.onAbort((reason) => heard.push(`callback ${reason}`));
  abort.abort('lost');
  expect(heard).toEqual(['signal lost', 'callback lost']);
});

test('only the first abort counts', () => {
  abort.onAbort((reason) => heard.push(reason));
  abort.abort('first');
  abort.abort('second');
  expect(heard).toEqual(['first']);
  expect(abort.reason).toBe('first');
  expect(abort.signal.reason).toBe('first');
});

test('a callback that comes after the abort is called at once', () => {
  abort.abort('lost');
  abort.onAbort((reason) => heard.push(reason));
  expect(heard).toEqual(['lost']);
});

test('a callback that has unsubscribed is not called, even by one that is called before it', () => {
  abort.onAbort(() => stopSecond());
  const stopSecond = abort.onAbort((reason) => heard.push(reason));
  abort.abort('lost');
  expect(heard).toEqual([]);
});

test('a throwing callback becomes an uncaught exception, and all others are called', async () => {
  const error = new Error('a slip in a teardown');
  abort.onAbort(() => {
    throw error;
  });
  abort.onAbort((reason) => heard.push(reason));
  expect(await uncaughtExceptions(() => abort.abort('lost'))).toEqual([error]);
  expect(heard).toEqual(['lost']);
});

test('gives the same signal whenever it is read', () => {
  expect(abort.signal).toBe(abort.signal);
});
