import { describe, expect, test } from 'vitest';
import {
  Leader,
  Locked,
  LockConfigurationError,
  LockHealthIndicator,
  LockModule,
  type LockOptions,
} from '../../lib/index.js';
import { resolveModuleOptions } from '../../lib/options/resolve-module-options.js';
import { LockedCron } from '../../lib/schedule/index.js';
import { lockManager } from './manager-harness.js';

const VALUES: readonly [string, () => unknown][] = [
  ['an array of 0', () => []],
  // The rejection must be handled too: nobody awaits it.
  ['an object Promise. Await it first', () => Promise.reject(new Error('no configuration'))],
  ['an object Map', () => new Map([['ttl', 5_000]])],
  ['an object Set', () => new Set()],
  ['an object Date', () => new Date()],
  ['an object RegExp', () => /ttl/],
  ['an object Error', () => new Error('ttl')],
  ['an object Buffer', () => Buffer.from('ttl')],
  ['an object AbortSignal', () => new AbortController().signal],
];

/** The calls that take options; some types are wrong on purpose. */
const CALLS: readonly [string, (options: never) => unknown][] = [
  ['lock', (options) => lockManager().locks.lock('a', options)],
  ['tryLock', (options) => lockManager().locks.tryLock('a', options)],
  ['withLock', (options) => lockManager().locks.withLock('a', options, () => {})],
  ['lead', (options) => lockManager().locks.elections.lead('a', options)],
  ['forceRelease', (options) => lockManager().locks.administration.forceRelease('a', options)],
  ['@Locked', (options) => Locked('a', options)],
  ['@Leader', (options) => Leader('a', options)],
  ['LockHealthIndicator.check', (options) => new LockHealthIndicator().check('a', options)],
  ['@LockedCron', (options) => LockedCron('a', '* * * * *', options)],
  ['forRoot', (options) => LockModule.forRoot(options)],
  ['the module', (options) => resolveModuleOptions(options)],
  ['defaults', (defaults) => resolveModuleOptions({ defaults })],
];

describe.for(CALLS)('the options of %s', ([, call]) => {
  test.for(VALUES)('must not be %s', async ([description, value]) => {
    const called = Promise.resolve().then(() => call(value() as never));
    await expect(called).rejects.toThrow(LockConfigurationError);
    await expect(called).rejects.toThrow(`: got ${description}`);
  });
});

test('options may have no prototype, or be an instance of a class', () => {
  class Terms {
    readonly ttl = 5_000;
  }
  for (const options of [Object.assign(Object.create(null), { ttl: 5_000 }) as LockOptions, new Terms()])
    expect(() => Locked('a', options)).not.toThrow();
});
