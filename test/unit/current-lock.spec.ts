import { describe, expect, test } from 'vitest';
import { LockConfigurationError, LockService } from '../../lib/index.js';
import { currentLock, runWithLock } from '../../lib/locking/current-lock.js';
import { settled } from './fake-clock.js';
import { hold } from './hold-harness.js';
import { lockManager } from './manager-harness.js';

function thrownBy(code: () => unknown): unknown {
  try {
    code();
  } catch (error) {
    return error;
  }
  throw new Error('Nothing was thrown');
}

test('the release of a hold leaves nothing behind that keeps the code which called it (H64)', async () => {
  const { held, grant } = hold();
  const seen: unknown[] = [];
  const release = grant.release.bind(grant);
  grant.release = () => {
    seen.push(currentLock());
    return release();
  };
  await runWithLock(hold().held, () => held.release());
  expect(seen).toEqual([undefined]);
});

describe('currentOrThrow', () => {
  test('returns the same as current', () => {
    const { held } = hold();
    runWithLock(held, () => {
      expect(LockService.currentOrThrow()).toBe(held);
      expect(LockService.currentOrThrow('order:42')).toBe(held);
    });
  });

  test('throws outside locked code, and says where to call it', () => {
    expect(LockService.current()).toBeUndefined();
    const error = thrownBy(() => LockService.currentOrThrow());
    expect(error).toBeInstanceOf(LockConfigurationError);
    expect((error as Error).message).toBe(
      'LockService.currentOrThrow() requires a lock, but was called without a lock. ' +
        'Call it inside a method with @Locked, a handler behind LockInterceptor or the work of withLock(), ' +
        'or use LockService.current(), which may return undefined',
    );
  });

  test('refuses a name that is not one', () => {
    const error = thrownBy(() => LockService.currentOrThrow(42 as unknown as string));
    expect(error).toBeInstanceOf(LockConfigurationError);
    expect((error as Error).message).toBe('A resource name must be a non-empty string: got 42 (number)');
  });

  test('names the locks that are held instead', () => {
    runWithLock(hold().held, () => {
      expect(LockService.current('order:43')).toBeUndefined();
      expect(() => LockService.currentOrThrow('order:43')).toThrow(
        "requires the lock 'order:43', but was called under 'order:42'. Call it inside",
      );
    });
  });
});

test('a lock that is lost while its code waits for another one is still the one of that code', async () => {
  const { locks, provider } = lockManager();
  const seen: unknown[] = [];
  const running = locks.withLock('a', {}, (outer) =>
    locks.withLock('b', {}, () => {
      seen.push(LockService.current('a') === outer, LockService.currentOrThrow('a').isHeld());
    }),
  );
  const outer = provider.last.grant();
  await settled();
  outer.lose('deleted');
  provider.last.grant();
  await expect(running).rejects.toMatchObject({ resource: 'a', reason: 'deleted' });
  await settled();
  expect(seen).toEqual([true, false]);
});
