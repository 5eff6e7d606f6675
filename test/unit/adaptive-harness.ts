import type { Subscription } from 'rxjs';
import { AdaptiveResult } from '../../lib/execution/adaptive-result.js';
import { LockService } from '../../lib/lock.service.js';
import { settled } from './fake-clock.js';
import { lockManager } from './manager-harness.js';

/** A call of a method whose return type is unknown, and locks that a test grants; with `skipIfBusy`, an immediate one. */
export function called(method: () => unknown, skipIfBusy = false) {
  const { locks, provider, log } = lockManager();
  const service = new LockService(locks);
  /** For each call of the method: whether it was under a lock. */
  const calls: (boolean | undefined)[] = [];
  /** Errors of calls that got no lock and that nobody used. */
  const unused: unknown[] = [];
  const result = new AdaptiveResult(
    {
      name: 'Bank.pay',
      locks: () => service,
      resource: () => 'a',
      options: skipIfBusy ? { wait: 0 } : {},
      skipIfBusy,
      answer: () => undefined,
      discard: () => {},
      proceed: () => {
        calls.push(LockService.current()?.isHeld());
        return method();
      },
    },
    (error) => unused.push(error),
  );
  const grantLock = async () => {
    provider.last.grant();
    await settled();
  };
  return { result, provider, log, calls, unused, grantLock };
}

/** A method that returns a Promise, which a test settles. */
export function promised() {
  let resolve: (value: unknown) => void = () => {};
  let reject: (error: Error) => void = () => {};
  const call = called(
    () => new Promise((onResolve, onReject) => ([resolve, reject] = [onResolve, onReject])),
  );
  return { ...call, resolve: (value: unknown) => resolve(value), reject: (error: Error) => reject(error) };
}

/** What a subscriber to `result` sees. */
export function subscribed(result: AdaptiveResult): { seen: unknown[]; subscription: Subscription } {
  const seen: unknown[] = [];
  const subscription = result.subscribe({
    next: (value) => seen.push(value),
    error: (error: Error) => seen.push(error),
    complete: () => seen.push('completed'),
  });
  return { seen, subscription };
}

/** A generator that yields whether its body runs under the lock. */
export async function* steps(): AsyncGenerator<boolean | undefined> {
  yield LockService.current()?.isHeld();
}
