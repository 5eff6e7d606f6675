import { assertNoMoreArguments } from './extra-arguments.js';
import { describeValue, quoted } from './describe-value.js';
import { LockConfigurationError } from './errors/lock-configuration.error.js';
import { gotInstead } from './options-object.js';
import { shortList } from './short-list.js';
import { hasMethods } from './stream-result.js';
import { USE_WITH_LOCK } from './use-with-lock.js';
import { assertLockNames, type LockNames } from './lock-names.js';
import type { LockOptions } from './lock-options.js';

type Work<Held, T> = (held: Held) => T | PromiseLike<T>;

/** @typeParam Held what the work gets */
export type WithLockArguments<N extends LockNames, Held, T> =
  | readonly [names: N, options: number | LockOptions | undefined, work: Work<Held, T>]
  | readonly [names: N, work: Work<Held, T>];

/**
 * Reads the arguments of `withLock` before anything is acquired: untyped code may omit the work, which comes last, or pass
 * it in place of the options.
 *
 * @throws LockConfigurationError
 */
export function withLockArguments<N extends LockNames, Held, T>(
  given: WithLockArguments<N, Held, T>,
): { names: N; options: number | LockOptions | undefined; work: Work<Held, T> };
export function withLockArguments(given: readonly unknown[]): {
  names: LockNames;
  options: unknown;
  work: unknown;
} {
  const names = given[0];
  assertLockNames(names);
  const hasOptions = given.length === 3;
  const options = hasOptions ? given[1] : undefined;
  const work = hasOptions ? given[2] : given[1];
  if (given.length > 3 || typeof work !== 'function' || typeof options === 'function') {
    throw wrongWork(shown(names), given.slice(1));
  }
  return { names, options, work };
}

/**
 * Refuses arguments after the options of `call`, which would be ignored silently.
 *
 * @throws LockConfigurationError
 */
export function assertNoWork(call: 'lock' | 'tryLock', more: readonly unknown[]): void {
  const hint = typeof more[0] === 'function' ? USE_WITH_LOCK : undefined;
  assertNoMoreArguments(`${call}() takes a resource name, and a ttl or options`, more, hint);
}

/** The error for an argument of `unlock` that is not a handle. */
export function notAHandle(value: unknown): LockConfigurationError {
  return new LockConfigurationError(
    `unlock() takes the HeldLock that lock() or tryLock() returned: ${gotInstead(value)}${hintFor(value)}`,
  );
}

function hintFor(value: unknown): string {
  if (value === null) return ', which tryLock() returns if the lock is busy: then there is nothing to unlock';
  if (hasMethods(value, 'release', 'isHeld'))
    return '. It is a handle of another copy of this package, or of a test: call its own release()';
  return typeof value === 'string'
    ? '. A name does not prove that you hold the lock: keep the return value of lock()'
    : '';
}

function shown(names: LockNames): string {
  return typeof names === 'string' ? quoted(names) : `[${shortList(names.map(quoted))}]`;
}

function wrongWork(name: string, rest: readonly unknown[]): LockConfigurationError {
  const at = rest.findIndex((value) => typeof value === 'function');
  if (at >= 0) {
    return new LockConfigurationError(
      `withLock(${name}, ...) takes options before the work, which is the last argument: got ${shortList(rest.map(describeValue))}. ` +
        `Write withLock(${name}, options, work)`,
    );
  }
  const given = rest.length === 0 ? 'nothing' : shortList(rest.map(describeValue));
  return new LockConfigurationError(
    `withLock(${name}, ...) needs the work as its last argument, a function that runs under the lock: got ${given}. ` +
      `Write withLock(${name}, options, async () => { ... }), or lock(${name}, options) for a lock that you release yourself`,
  );
}
