import { describe, expect, test } from 'vitest';
import { LockConfigurationError } from '../../lib/locking/errors/lock-configuration.error.js';
import { LOCK_DEFAULTS, resolveLockOptions, type LockOptions } from '../../lib/locking/lock-options.js';

const LONGEST = 2 ** 31 - 1;
const DEFAULTS = { ...LOCK_DEFAULTS, owner: 'web-1:17:0a1b2c3d', hasStableOwner: false };

/** The options of a caller without types. */
function resolve(given: unknown, defaults = DEFAULTS) {
  return resolveLockOptions(given as LockOptions, defaults);
}

function problemsOf(given: unknown, defaults = DEFAULTS): readonly string[] {
  try {
    resolve(given, defaults);
    return [];
  } catch (error) {
    if (error instanceof LockConfigurationError) return error.problems;
    throw error;
  }
}

test('without options: waits indefinitely, without a ttl, exclusively', () => {
  expect(resolve(undefined)).toEqual({
    ttl: 0,
    wait: Infinity,
    minHold: 0,
    maxWaiters: Infinity,
    whenCallerLeaves: 'leave',
    reentrant: false,
    signal: undefined,
    owner: 'web-1:17:0a1b2c3d',
    purpose: undefined,
    mode: 'exclusive',
    failure: 'open',
    fair: true,
  });
});

test('a number is a ttl', () => {
  expect(resolve(5_000)).toEqual({ ...resolve(undefined), ttl: 5_000 });
});

test('given options take precedence over the defaults, even 0, but not undefined', () => {
  const { signal } = new AbortController();
  const given = {
    ttl: 2,
    wait: 1,
    minHold: 2,
    maxWaiters: 0,
    whenCallerLeaves: 'stay',
    reentrant: true,
    signal,
    owner: 'me',
    purpose: 'test',
    mode: 'exclusive',
    failure: 'closed',
    fair: true,
  };
  expect(resolve(given)).toEqual(given);
  expect(resolve({ ttl: 0, wait: 0 }, { ...DEFAULTS, ttl: 5, wait: 6 })).toMatchObject({ ttl: 0, wait: 0 });
  expect(resolve({ ttl: undefined }, { ...DEFAULTS, ttl: 5, wait: 6 })).toMatchObject({ ttl: 5, wait: 6 });
});

describe('durations', () => {
  test.for([0, 1, LONGEST])('%s is accepted', (ms) => {
    expect(problemsOf({ ttl: ms, wait: ms, minHold: 0 })).toEqual([]);
  });

  const bad = [-1, 1.5, NaN, -Infinity, 2 ** 31, null, '5000', 5n, true, {}] as unknown[];
  const shown = ['-1 (number)', '1.5 (number)', 'NaN (number)', '-Infinity (number)', '2147483648 (number)'];
  shown.push('null', "'5000' (string)", '5 (bigint)', 'true (boolean)', 'an object Object');

  test.for(bad.map((value, i) => [value, shown[i]!] as const))('%s is refused', ([value, description]) => {
    const accepted = 'must be a whole number of milliseconds from 0 to 2147483647';
    expect(problemsOf({ ttl: value })).toEqual([`\`ttl\` ${accepted}: got ${description}`]);
    expect(problemsOf({ minHold: value })).toEqual([`\`minHold\` ${accepted}: got ${description}`]);
    expect(problemsOf({ wait: value })).toEqual([`\`wait\` ${accepted}, or Infinity: got ${description}`]);
  });

  test('only wait may be Infinity', () => {
    expect(problemsOf({ wait: Infinity })).toEqual([]);
    expect(problemsOf({ ttl: Infinity })[0]).toContain('got Infinity (number)');
    expect(problemsOf({ minHold: Infinity })[0]).toContain('got Infinity (number)');
  });

  test.for([
    [{ ttl: 5, minHold: 6 }, DEFAULTS],
    [{ minHold: 6 }, { ...DEFAULTS, ttl: 5 }],
  ] as const)('minHold must fit into the ttl: %o', ([given, defaults]) => {
    expect(problemsOf(given, defaults)).toEqual([
      '`minHold` must not be longer than `ttl`: got minHold 6 and ttl 5 ms',
    ]);
  });

  test.for([{ ttl: 6, minHold: 6 }, { minHold: 6 }, { ttl: 0, minHold: 6 }])('%o fits', (given) => {
    expect(problemsOf(given)).toEqual([]);
  });
});

test.for([
  [{ owner: '' }, "`owner` must be a non-empty string: got '' (string)"],
  [{ owner: 5 }, '`owner` must be a non-empty string: got 5 (number)'],
  [{ purpose: ['a'] }, '`purpose` must be a non-empty string: got an array of 1'],
  [{ signal: new AbortController() }, '`signal` must be an AbortSignal: got an object AbortController'],
  [{ maxWaiters: -1 }, '`maxWaiters` must be a whole number of waiters from 0, or Infinity: got -1 (number)'],
  [
    { maxWaiters: 1.5 },
    '`maxWaiters` must be a whole number of waiters from 0, or Infinity: got 1.5 (number)',
  ],
  [
    { maxWaiters: '9' },
    "`maxWaiters` must be a whole number of waiters from 0, or Infinity: got '9' (string)",
  ],
  [{ reentrant: 1 }, '`reentrant` must be true or false: got 1 (number)'],
  [{ whenCallerLeaves: 'go' }, "`whenCallerLeaves` must be 'leave' or 'stay': got 'go' (string)"],
  [
    { mode: 'shared' },
    "`mode` must be 'exclusive' or 'read' or 'write' or 'semaphore': got 'shared' (string)",
  ],
  [
    { waitMs: 5 },
    "unknown lock option 'waitMs': accepted are wait, ttl, maxWaiters, whenCallerLeaves, reentrant, minHold, signal, owner, purpose, mode, permits, failure, fair",
  ],
  [{ permits: 0 }, '`permits` must be a whole number of permits from 1 to 1000: got 0 (number)'],
  [{ permits: 1.5 }, '`permits` must be a whole number of permits from 1 to 1000: got 1.5 (number)'],
  [{ permits: 1_001 }, '`permits` must be a whole number of permits from 1 to 1000: got 1001 (number)'],
  [
    { mode: 'semaphore' },
    "`mode: 'semaphore'` needs `permits`, the number of holders at the same time: it is missing",
  ],
  [
    { permits: 2, mode: 'read' },
    "`permits` makes the lock a semaphore: leave `mode` out, or set it to 'semaphore'. Got mode 'read'",
  ],
  [{ failure: 'shut' }, "`failure` must be 'open' or 'closed': got 'shut' (string)"],
  [
    { failure: 'closed', owner: 'me', mode: 'read' },
    "`failure: 'closed'` is for locks with one holder: the modes 'exclusive' and 'write'. Got mode 'read'",
  ],
  [
    { failure: 'closed' },
    "`failure: 'closed'` needs an `owner` that is the same after a restart, in the call or in the module: only that owner " +
      'gets the lock back. Use a name that one process at a time has, such as that of a StatefulSet pod',
  ],
  [
    { failure: 'closed', owner: 'me', fair: false },
    "`failure: 'closed'` needs a queue: leave `fair` out, or set it to true",
  ],
  [{ fair: 'no' }, "`fair` must be true or false: got 'no' (string)"],
  [
    { fair: false, mode: 'read' },
    "`fair: false` is only possible with the mode 'exclusive': leave it out for 'read'",
  ],
  [
    { fair: false, permits: 2 },
    "`fair: false` is only possible with the mode 'exclusive': leave it out for 'semaphore'",
  ],
  [
    { fair: false, maxWaiters: 5 },
    'with `fair: false` nobody knows how many wait: leave `maxWaiters` out, or set it to Infinity if the module has another default. Got 5 (number)',
  ],
] as const)('refuses %o', ([given, problem]) => {
  expect(problemsOf(given)).toEqual([problem]);
});

test.for([
  [null, 'null'],
  ['5s', "'5s' (string)"],
  [[5], 'an array of 1'],
  [() => 5, 'a function without a name. To run a function under the lock, use withLock(name, options, work)'],
] as const)('refuses %o instead of options', ([given, description]) => {
  expect(problemsOf(given)).toEqual([
    `Lock options must be a ttl in ms or an object of options: got ${description}`,
  ]);
});

test.for([
  [{ ttl: Symbol('5') }, 'got Symbol(5) (symbol)'],
  [{ wait: Object.create(null) }, 'got an object without a constructor'],
  [{ minHold: Symbol('5'), ttl: 5 }, 'got Symbol(5) (symbol)'],
  [{ mode: Object.create(null), permits: 2 }, 'got an object without a constructor'],
] as [object, string][])('refuses a value that cannot be made a text, case %#', ([given, description]) => {
  expect(problemsOf(given)).toEqual([expect.stringContaining(description)]);
});

test('escapes the name of an unknown option', () => {
  expect(problemsOf({ 'tt\nl': 5 })).toEqual([expect.stringContaining("unknown lock option 'tt\\u{a}l'")]);
});

test('reports all problems at once', () => {
  const given = { ttl: -1, wait: NaN, owner: '', tll: 5 };
  expect(problemsOf(given)).toHaveLength(4);
  expect(() => resolve(given)).toThrow(
    /^4 problems:\n- unknown lock option 'tll'.*\n- `wait`.*\n- `ttl`.*\n- `owner`/,
  );
});

test('a lock that fails closed may have the owner of the module', () => {
  const defaults = { ...DEFAULTS, hasStableOwner: true };
  expect(resolve({ failure: 'closed' }, defaults)).toMatchObject({
    failure: 'closed',
    owner: DEFAULTS.owner,
  });
});

test('a limit of waiters that the module sets is refused without a queue, unless the call lifts it', () => {
  const defaults = { ...DEFAULTS, maxWaiters: 5 };
  expect(problemsOf({ fair: false }, defaults)).toHaveLength(1);
  expect(problemsOf({ fair: false, maxWaiters: Infinity }, defaults)).toEqual([]);
});
