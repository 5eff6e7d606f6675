import { inspect } from 'node:util';
import { describe, expect, test } from 'vitest';
import { LockBusyError } from '../../lib/locking/errors/lock-busy.error.js';
import { LockCallerGoneError } from '../../lib/locking/errors/lock-caller-gone.error.js';
import { LockClosedError } from '../../lib/locking/errors/lock-closed.error.js';
import { LockConfigurationError } from '../../lib/locking/errors/lock-configuration.error.js';
import { LockPermitsError } from '../../lib/locking/errors/lock-permits.error.js';
import { LockFairnessError } from '../../lib/locking/errors/lock-fairness.error.js';
import { LockDeadlockError } from '../../lib/locking/errors/lock-deadlock.error.js';
import { LockLostError, type LossReason } from '../../lib/locking/errors/lock-lost.error.js';
import { LockTimeoutError } from '../../lib/locking/errors/lock-timeout.error.js';
import { LockUnavailableError } from '../../lib/locking/errors/lock-unavailable.error.js';
import { StaleFencingTokenError } from '../../lib/locking/errors/stale-fencing-token.error.js';
import { LockError } from '../../lib/locking/errors/lock.error.js';

test.for([
  new LockBusyError('secret-order', 'secret-holder'),
  new LockTimeoutError('secret-order', 5, 'secret-holder'),
  new LockUnavailableError('secret-order', 'secret-server does not answer', { cause: new Error('secret') }),
  new LockClosedError('secret-order'),
  new LockLostError('secret-order', 'ttl'),
  new StaleFencingTokenError({ resource: 'secret-order', fencingToken: 5n }, { newest: 6n }),
  new LockPermitsError('secret-order', { wanted: 3, inUse: 2 }),
  new LockFairnessError('secret-order', true),
  new LockDeadlockError('secret-order', { held: { mode: 'read', purpose: 'secret' }, wanted: 'write' }),
  new LockConfigurationError(["got 'secret'", "got 'secret-key'"]),
])('%s has a code, but no names, in JSON', (error) => {
  expect(JSON.parse(JSON.stringify(error))).toMatchObject({ code: error.code });
  expect(JSON.stringify(error)).not.toContain('secret');
  expect(JSON.stringify(Object.assign({}, error))).not.toContain('secret');
});

describe('every error has its code, its resource, when to try again, and what to try', () => {
  test.for([
    [
      new LockBusyError('a', 'web-1'),
      'LOCK_BUSY',
      'a',
      1_000,
      "Lock 'a' is busy, held by web-1. Try again later",
    ],
    [new LockBusyError('a', undefined), 'LOCK_BUSY', 'a', 1_000, "Lock 'a' is busy. Try again later"],
    [
      new LockBusyError('a', undefined, { waiters: 3 }),
      'LOCK_BUSY',
      'a',
      1_000,
      "Lock 'a' is busy, and its queue is full: it has 3 waiters. Try again later, raise `maxWaiters`",
    ],
    [
      new LockCallerGoneError('a'),
      'LOCK_CALLER_GONE',
      'a',
      undefined,
      "Lock 'a' was not acquired: the client hung up before it was granted. Use whenCallerLeaves: 'stay'",
    ],
    [new LockTimeoutError('a', 5, 'web-1'), 'LOCK_TIMEOUT', 'a', 1_000, 'next ahead in the queue is web-1'],
    [
      new LockUnavailableError('a', 'so'),
      'LOCK_UNAVAILABLE',
      'a',
      1_000,
      "Lock 'a' is unavailable: so. Check",
    ],
    [
      new LockUnavailableError(undefined, 'so'),
      'LOCK_UNAVAILABLE',
      undefined,
      1_000,
      'Locks are unavailable: so.',
    ],
    [new LockClosedError('a'), 'LOCK_CLOSED', 'a', 1_000, 'the lock service is shutting down'],
    [new LockLostError('a', 'ttl'), 'LOCK_LOST', 'a', undefined, "Lock 'a' was lost (ttl): its ttl passed"],
    [
      new StaleFencingTokenError({ resource: 'a', fencingToken: 5n }),
      'LOCK_STALE_TOKEN',
      'a',
      undefined,
      "A write with fencing token 5 of lock 'a' was rejected: a later holder has written. Discard",
    ],
    [
      new StaleFencingTokenError({ resource: 'a', fencingToken: 5n }, { newest: 6n }),
      'LOCK_STALE_TOKEN',
      'a',
      undefined,
      'a later holder, with token 6, has written.',
    ],
    [
      new LockDeadlockError('a', { held: { mode: 'write', purpose: 'Library.lend' }, wanted: 'read' }),
      'LOCK_DEADLOCK',
      'a',
      undefined,
      "its caller Library.lend holds it with mode 'write'",
    ],
    [
      new LockDeadlockError('a', { held: { mode: 'write' }, wanted: 'exclusive', wantedFailure: 'closed' }),
      'LOCK_DEADLOCK',
      'a',
      undefined,
      "Acquire it with `failure: 'closed'` from the start",
    ],
    [
      new LockPermitsError('a', { wanted: 3, inUse: 2 }),
      'LOCK_PERMITS',
      'a',
      undefined,
      "Lock 'a' was not acquired with 3 permits: it is in use with 2",
    ],
    [
      new LockFairnessError('a', true),
      'LOCK_FAIRNESS',
      'a',
      undefined,
      "Lock 'a' was not acquired with fair: false: it is in use with fair: true. Use the same value everywhere",
    ],
    [
      new LockDeadlockError('a', { held: { mode: 'semaphore' }, wanted: 'read' }),
      'LOCK_DEADLOCK',
      'a',
      undefined,
      "Acquire it with mode 'read' from the start",
    ],
    [
      new LockDeadlockError('a', { held: { mode: 'read' }, wanted: 'exclusive' }),
      'LOCK_DEADLOCK',
      'a',
      undefined,
      "Acquire it with mode 'exclusive' from the start",
    ],
    [new LockConfigurationError('no'), 'LOCK_CONFIGURATION', undefined, undefined, 'no'],
  ] as const)('%s', ([error, code, resource, retryAfterMs, text]) => {
    expect(error).toBeInstanceOf(LockError);
    expect(error).toMatchObject({ code, resource, name: error.constructor.name });
    expect(error.retryAfterMs).toBe(retryAfterMs);
    expect(error.message).toContain(text);
    expect(error.extensions).toEqual(retryAfterMs === undefined ? { code } : { code, retryAfterMs });
  });
});

test('every reason of a loss is explained', () => {
  const reasons: Record<LossReason, string> = {
    ttl: 'Give it a longer `ttl`',
    session: 'contact with the servers was lost for too long',
    deleted: 'deleted by somebody else',
    revoked: 'taken back',
    authentication: 'refused the credentials',
    shutdown: 'allow its work a longer `drainTimeout`',
    together: 'held together with it was lost',
    unused: 'was not used for 30 s',
    released: 'released before this call',
  };
  for (const [reason, explanation] of Object.entries(reasons)) {
    expect(new LockLostError('a', reason as LossReason).message).toContain(explanation);
  }
  // Nobody has to look for a cleaner.
  expect(new LockLostError('a', 'deleted', { failsClosed: true }).message).toContain(
    'taken over by another process',
  );
});

test('an error is printed without what it does not have', () => {
  expect(inspect(new LockLostError('a', 'ttl'))).toMatch(/^LockLostError: Lock 'a' was lost/);
  expect(inspect(new LockLostError('a', 'ttl'))).not.toContain('retryAfterMs');
});

test('the thrower can replace what to try', () => {
  const error = new LockUnavailableError('a', 'so', { hint: 'Ask Ada' });
  expect(error.message).toBe("Lock 'a' is unavailable: so. Ask Ada.");
  expect(error.retryAfterMs).toBe(1_000);
});

test('a cause is kept, and is absent if none is given', () => {
  const cause = new Error('why');
  expect(new LockUnavailableError('a', 'so', { cause }).cause).toBe(cause);
  expect('cause' in new LockUnavailableError('a', 'so')).toBe(false);
});

test('one problem is a sentence, several are a list', () => {
  expect(new LockConfigurationError(['one']).message).toBe('one');
  const several = new LockConfigurationError(['one', 'two']);
  expect(several.message).toBe('2 problems:\n- one\n- two');
  expect(several.problems).toEqual(['one', 'two']);
});
