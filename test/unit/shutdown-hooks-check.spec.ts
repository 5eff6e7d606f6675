import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { ShutdownHooksCheck } from '../../lib/shutdown-hooks-check.js';

const warn = vi.fn<(message: string) => void>();
const before = process.listeners('SIGTERM');

beforeEach(() => {
  vi.useFakeTimers();
});

afterEach(() => {
  vi.useRealTimers();
  warn.mockClear();
  for (const listener of process.listeners('SIGTERM'))
    if (!before.includes(listener)) process.off('SIGTERM', listener);
});

const closeTheApplication = () => {};

test('an application with a server is checked at its start', () => {
  new ShutdownHooksCheck(warn).started({ hasServer: true });
  expect(warn.mock.calls).toEqual([
    [expect.stringMatching(/^Shutdown hooks are off: .*enableShutdownHooks/)],
  ]);
});

test('a listener that was added after the application was created counts as a hook', () => {
  const check = new ShutdownHooksCheck(warn);
  process.on('SIGTERM', closeTheApplication);
  check.started({ hasServer: true });
  expect(warn).not.toHaveBeenCalled();
});

test('an earlier listener does not count as a hook', () => {
  process.on('SIGTERM', () => {});
  new ShutdownHooksCheck(warn).started({ hasServer: true });
  expect(warn).toHaveBeenCalledTimes(1);
});

test('an application without a server is checked after 10 s, because it may be a script', () => {
  new ShutdownHooksCheck(warn).started({ hasServer: false });
  vi.advanceTimersByTime(9_999);
  expect(warn).not.toHaveBeenCalled();
  vi.advanceTimersByTime(1);
  expect(warn).toHaveBeenCalledTimes(1);
});

test('a worker enables its hooks after its start', () => {
  new ShutdownHooksCheck(warn).started({ hasServer: false });
  process.on('SIGTERM', closeTheApplication);
  vi.runAllTimers();
  expect(warn).not.toHaveBeenCalled();
});

test('a script that closes the application is not checked', () => {
  const check = new ShutdownHooksCheck(warn);
  check.started({ hasServer: false });
  check.closing();
  expect(vi.getTimerCount()).toBe(0);
});
