import { describe, expect, test } from 'vitest';
import { LockConfigurationError, LockService } from '../../lib/index.js';
import { runWithLock } from '../../lib/locking/current-lock.js';
import { hold } from './hold-harness.js';

function thrownBy(code: () => unknown): unknown {
  try {
    code();
  } catch (error) {
    return error;
  }
  throw new Error('Nothing was thrown');
}

describe('currentOrThrow', () => {
  test('gives what current gives', () => {
    const { held } = hold();
    runWithLock(held, () => {
      expect(LockService.currentOrThrow()).toBe(held);
      expect(LockService.currentOrThrow('order:42')).toBe(held);
    });
  });

  test('says outside of locked code where it belongs', () => {
    expect(LockService.current()).toBeUndefined();
    const error = thrownBy(() => LockService.currentOrThrow());
    expect(error).toBeInstanceOf(LockConfigurationError);
    expect((error as Error).message).toBe(
      'LockService.currentOrThrow() was called by code that must run under a lock, but runs under none. ' +
        'Call it within a method with @Locked, a handler behind LockInterceptor or the work of withLock(), ' +
        'or use LockService.current(), which may be undefined',
    );
  });

  test('names the locks that there are instead', () => {
    runWithLock(hold().held, () => {
      expect(LockService.current('order:43')).toBeUndefined();
      expect(() => LockService.currentOrThrow('order:43')).toThrow(
        "code that must run under the lock 'order:43', but runs under 'order:42'. Call it within",
      );
    });
  });
});
