import { describe, expect, test } from 'vitest';
import type { LockModuleOptions } from '../../lib/options/lock-module-options.js';
import { LockConfigurationError } from '../../lib/locking/errors/lock-configuration.error.js';
import { resolveModuleOptions } from '../../lib/options/resolve-module-options.js';

function problemsOf(options: unknown): readonly string[] {
  try {
    resolveModuleOptions(options as LockModuleOptions);
    return [];
  } catch (error) {
    if (error instanceof LockConfigurationError) return error.problems;
    throw error;
  }
}

const MS = 'must be a whole number of milliseconds from';
const TLS = '`tls` must be options of `tls.connect`, such as { ca, cert, key }';
const PEM = '-----BEGIN CERTIFICATE-----';
const ROOT_CHARACTER = (character: string) =>
  `\`root\` contains ${character}, a character that ZooKeeper refuses in paths: got`;
const ROOT = "`root` must be an absolute path like '/locks', without a slash at its end: got";

describe('every bad value is printed with its type and what is accepted', () => {
  test.for([
    [{ sessionTimeout: 499 }, `\`sessionTimeout\` ${MS} 500 to 2147483647: got 499 (number)`],
    [{ sessionTimeout: '20s' }, `\`sessionTimeout\` ${MS} 500 to 2147483647: got '20s' (string)`],
    [
      { maxSessionPathBytes: 4_095 },
      '`maxSessionPathBytes` must be a whole number of bytes from 4096 to 1048576: got 4095 (number)',
    ],
    [
      { maxSessionPathBytes: 1_048_577 },
      '`maxSessionPathBytes` must be a whole number of bytes from 4096 to 1048576: got 1048577 (number)',
    ],
    [{ connectTimeout: 0 }, `\`connectTimeout\` ${MS} 1 to 2147483647: got 0 (number)`],
    [{ drainTimeout: Infinity }, `\`drainTimeout\` ${MS} 0 to 2147483647: got Infinity (number)`],
    [{ initialRetryWaitMs: -1 }, `\`initialRetryWaitMs\` ${MS} 0 to 2147483647: got -1 (number)`],
    [
      { retryDelay: async () => 5 },
      '`retryDelay` must return a delay in ms synchronously: got a function retryDelay, which is async or a generator',
    ],
    [{ retryDelay: 1.5 }, `\`retryDelay\` ${MS} 0 to 2147483647: got 1.5 (number)`],
    [{ defaults: { ttl: 2 ** 31 } }, `\`defaults.ttl\` ${MS} 0 to 2147483647: got 2147483648 (number)`],
    [{ defaults: { wait: -1 } }, `\`defaults.wait\` ${MS} 0 to 2147483647, or Infinity: got -1 (number)`],
    [
      { defaults: { maxWaiters: 1.5 } },
      '`defaults.maxWaiters` must be a whole number of waiters from 0, or Infinity: got 1.5 (number)',
    ],
    [
      { defaults: { whenCallerLeaves: true } },
      "`defaults.whenCallerLeaves` must be 'leave' or 'stay': got true (boolean)",
    ],
    [
      { defaults: { minHold: 5 } },
      "unknown default 'minHold': accepted are wait, ttl, maxWaiters, whenCallerLeaves, reentrant",
    ],
    [{ defaults: 5 }, '`defaults` must be an object such as { wait: 5000, ttl: 60000 }: got 5 (number)'],
    [{ defaults: null }, '`defaults` must be an object such as { wait: 5000, ttl: 60000 }: got null'],
    [
      { maxRetryCount: -1 },
      '`maxRetryCount` must be a whole number of retries from 0 (no limit): got -1 (number)',
    ],
    [
      { maxRetryCount: 1.5 },
      '`maxRetryCount` must be a whole number of retries from 0 (no limit): got 1.5 (number)',
    ],
    [{ owner: '' }, "`owner` must be a non-empty string: got '' (string)"],
    [{ release: 'async' }, "`release` must be 'confirmed' or 'sent': got 'async' (string)"],
    [{ slowWaitWarning: -1 }, `\`slowWaitWarning\` ${MS} 0 to 2147483647, or Infinity: got -1 (number)`],
    [{ createChroot: 1 }, '`createChroot` must be true or false: got 1 (number)'],
    [{ shutdownHookWarning: 'no' }, "`shutdownHookWarning` must be true or false: got 'no' (string)"],
    [{ lazy: 'true' }, "`lazy` must be true or false: got 'true' (string)"],
    [{ handOver: 1_001 }, '`handOver` must be a whole number of grants from 0 to 1000: got 1001 (number)'],
    [
      { linger: -1 },
      '`linger` must be a whole number of milliseconds from 0 (never) to 2147483647: got -1 (number)',
    ],
    [
      { linger: '1s' },
      "`linger` must be a whole number of milliseconds from 0 (never) to 2147483647: got '1s' (string)",
    ],
    [{ handOver: '16' }, "`handOver` must be a whole number of grants from 0 to 1000: got '16' (string)"],
    [{ acl: 'all' }, "`acl` must be 'creator' or 'open': got 'all' (string)"],
    [{ root: 'locks' }, `${ROOT} 'locks' (string)`],
    [{ root: '/locks/' }, `${ROOT} '/locks/' (string)`],
    [{ root: '/a//b' }, `${ROOT} '/a//b' (string)`],
    [{ root: '/a/../b' }, `${ROOT} '/a/../b' (string)`],
    [{ root: '/' }, `${ROOT} '/' (string)`],
    [{ root: null }, `${ROOT} null`],
    [{ root: '/a\u0007' }, `${ROOT_CHARACTER('U+0007')} "/a\\u0007"`],
    [{ root: '/\u009f/b' }, `${ROOT_CHARACTER('U+009F')} "/\u009f/b"`],
    [{ root: '/\u{1f512}' }, `${ROOT_CHARACTER('U+D83D')} "/\u{1f512}"`],
    [{ root: '/a\ud800' }, `${ROOT_CHARACTER('U+D800')} "/a\\ud800"`],
    [{ root: '/\uffff' }, `${ROOT_CHARACTER('U+FFFF')} "/\uffff"`],
    [{ tls: true }, `${TLS}: got true (boolean)`],
    [{ tls: null }, `${TLS}: got null`],
    [{ tls: [] }, `${TLS}: got an array of 0`],
    [{ tls: 'pem' }, `${TLS}: got a string`],
    [
      { crashGuard: true, tls: { checkServerIdentity: () => undefined } },
      '`crashGuard` cannot hand functions or a `secureContext` in `tls` to another process: give `ca`, `cert`, `key`',
    ],
    [{ tls: { cert: PEM } }, `${TLS}: Node refuses them with ERR_OSSL_PEM_BAD_END_LINE`],
    [{ tls: { key: PEM, passphrase: 5 } }, `${TLS}: Node refuses them with ERR_INVALID_ARG_TYPE`],
    [{ owner: 'x'.repeat(1_025) }, '`owner` must have at most 1024 characters: got 1025'],
    [{ resourceName: 7 }, '`resourceName`: A resource name must be a non-empty string: got 7 (number)'],
    [{ host: 'zk1/shop' }, "`host` must be the name or address of one server: got 'zk1/shop' (string)"],
    [{ host: 'zk1,zk2' }, "`host` must be the name or address of one server: got 'zk1,zk2' (string)"],
    [{ host: 'my host' }, "`host` must be the name or address of one server: got 'my host' (string)"],
    [{ host: 'zk1:2181' }, "`host` must be the name or address of one server: got 'zk1:2181' (string)"],
    [{ port: '2181' }, "`port` must be a whole number from 1 to 65535: got '2181' (string)"],
    [{ port: 65_536 }, '`port` must be a whole number from 1 to 65535: got 65536 (number)'],
    [undefined, 'Module options must be an object: got undefined'],
    [null, 'Module options must be an object: got null'],
  ] as [unknown, string][])('%o', ([options, problem]) => {
    expect(problemsOf(options)).toEqual([problem]);
  });

  test('a bad connect string is shown with the reason of its parser', () => {
    const [problem] = problemsOf({ connectString: 'zk:port' });
    expect(problem).toMatch(/^`connectString`: Invalid connect string "zk:port" \(string\): the port of/);
  });
});

describe('a list of connect strings', () => {
  const EXPECTED = 'Expected "host[:port][,host[:port]...][/chroot]", such as "zk1:2181,[::1]:2182/shop".';
  const OWN = 'each must be an ensemble of its own';

  test.for([
    [
      [],
      ['`connectString` must be a connect string, or a list with one for each ensemble: got an array of 0'],
    ],
    [
      ['zk1', '', undefined],
      [
        `\`connectString[1]\`: Invalid connect string "" (string): it must be a non-empty string. ${EXPECTED}`,
        `\`connectString[2]\`: Invalid connect string undefined: it must be a non-empty string. ${EXPECTED}`,
      ],
    ],
    [
      ['user:hunter2@zk1', 'zk2'],
      [expect.stringContaining('`connectString[0]`: Invalid connect string "***@zk1" (string): credentials')],
    ],
    [['zk1', 'zk1:2181'], [`\`connectString[1]\` names zk1:2181, and so does \`connectString[0]\`: ${OWN}`]],
    [
      ['zk1,zk2/shop', 'zk3/shop', 'zk3:2182,zk2/shop'],
      [`\`connectString[2]\` names zk2:2181, and so does \`connectString[0]\`: ${OWN}`],
    ],
    [7, [expect.stringContaining('Invalid connect string 7 (number)')]],
  ] as [unknown, string[]][])('%o', ([connectString, problems]) => {
    expect(problemsOf({ connectString })).toEqual(problems);
  });

  test('excludes host and port, and is checked together with all other options', () => {
    expect(problemsOf({ connectString: ['zk1', 'zk2:port'], port: 2181, lazy: 1 })).toEqual([
      expect.stringContaining('`connectString[1]`: Invalid connect string "zk2:port"'),
      '`lazy` must be true or false: got 1 (number)',
      'Give `connectString`, or `host` and `port`, but not both',
    ]);
  });
});

describe('a value of an unset environment variable is not a default', () => {
  const NOT_SET = 'the environment variable it comes from is probably not set. Set it, or leave';

  test.for([
    [
      { connectString: undefined },
      `\`connectString\` is undefined: ${NOT_SET} the key out for 'localhost:2181'`,
    ],
    [
      { connectString: '' },
      `\`connectString\` is an empty string: ${NOT_SET} the key out for 'localhost:2181'`,
    ],
    [{ host: undefined, port: 2181 }, `\`host\` is undefined: ${NOT_SET} the key out for 'localhost'`],
    [{ host: '' }, `\`host\` is an empty string: ${NOT_SET} the key out for 'localhost'`],
    [{ port: undefined }, `\`port\` is undefined: ${NOT_SET} the key out for 2181`],
    [{ host: 'zk', port: NaN }, `\`port\` is NaN: ${NOT_SET} the key out for 2181`],
    [{ root: undefined }, `\`root\` is undefined: ${NOT_SET} the key out for '/locks'`],
    [
      { resourceName: undefined },
      `\`resourceName\` is undefined: ${NOT_SET} the key out to append nothing to \`root\``,
    ],
    [{ auth: undefined }, `\`auth\` is undefined: ${NOT_SET} the key out to connect without credentials`],
    [
      { auth: { credential: undefined } },
      `\`auth.credential\` is undefined: ${NOT_SET} \`auth\` out to connect without`,
    ],
    [
      { auth: [{ credential: '' }] },
      `\`auth.credential\` is an empty string: ${NOT_SET} \`auth\` out to connect without`,
    ],
    [{ tls: undefined }, `\`tls\` is undefined: ${NOT_SET} the key out to connect without TLS`],
    [{ tls: '' }, `\`tls\` is an empty string: ${NOT_SET} the key out to connect without TLS`],
    [{ tls: { ca: undefined } }, `\`tls.ca\` is undefined: ${NOT_SET} the key out`],
    [{ tls: { cert: '', ca: PEM } }, `\`tls.cert\` is an empty string: ${NOT_SET} the key out`],
    [{ tls: { key: undefined } }, `\`tls.key\` is undefined: ${NOT_SET} the key out`],
    [{ tls: { ca: [PEM, undefined] } }, `\`tls.ca\` is undefined: ${NOT_SET} the key out`],
    [{ tls: { passphrase: undefined } }, `\`tls.passphrase\` is undefined: ${NOT_SET} the key out`],
  ] as [unknown, string][])('%o', ([options, problem]) => {
    expect(problemsOf(options)).toEqual([problem]);
  });
});

test.for([
  ['ca', '/etc/ssl/ca.pem'],
  ['cert', './client.pem'],
  ['key', Buffer.from('client.key')],
])('a file name is refused as %s', ([name, value]) => {
  expect(problemsOf({ tls: { [name as string]: value } })).toEqual([
    `\`tls.${String(name)}\` is not PEM text, which contains "-----BEGIN". If it is a file name, ` +
      `read the file: { ${String(name)}: readFileSync(...) }`,
  ]);
});

describe('options that are redundant or contradictory', () => {
  test.for([
    [{ connectString: 'zk', host: 'zk' }, 'Give `connectString`, or `host` and `port`, but not both'],
    [{ connectString: 'zk', port: 2181 }, 'Give `connectString`, or `host` and `port`, but not both'],
    [
      { maxAttempts: 1, defaults: { wait: 5 } },
      '`maxAttempts` and `defaults.wait` mean the same: give only one of them',
    ],
    [
      { localQueue: false, handOver: 3 },
      '`handOver` needs `localQueue`: without it, callers of one process do not hand a lock over',
    ],
    [
      { localQueue: false, linger: 500 },
      '`linger` needs `localQueue`: without it, callers of one process do not hand a lock over',
    ],
    [{ acl: 'creator' }, "`acl: 'creator'` needs `auth`: without credentials nobody would be the creator"],
    [{ auth: [] }, '`auth` must not be an empty list: leave it out to connect without credentials'],
  ] as [unknown, string][])('%o', ([options, problem]) => {
    expect(problemsOf(options)).toEqual([problem]);
  });

  test.for([0, 2, '1', Infinity])(
    'a maxAttempts other than 1 or null is refused in favour of `wait`: %o',
    (maxAttempts) => {
      expect(problemsOf({ maxAttempts })).toEqual([
        expect.stringContaining('say how long to `wait` instead'),
      ]);
    },
  );
});

test.for([
  [[]],
  [[null]],
  [[{ scheme: 'ip', id: '10.0.0.1' }]],
  [[{ scheme: 'ip', id: '10.0.0.1', permissions: 0 }]],
  [[{ scheme: 'ip', id: '10.0.0.1', permissions: 32 }]],
  [[{ scheme: '', id: 'anyone', permissions: 31 }]],
])('invalid access rules: %o', ([acl]) => {
  expect(problemsOf({ acl })).toEqual([
    expect.stringContaining("`acl` must be 'creator', 'open' or rules like"),
  ]);
});

describe('a key that nobody would read is refused', () => {
  const AUTH = 'accepted are scheme, credential';
  const RULE = "`acl`: unknown key 'perms': accepted are scheme, id, permissions";

  test.for([
    [{ auth: { schema: 'sasl', credential: 'a:b' } }, [`\`auth\`: unknown key 'schema': ${AUTH}`]],
    [
      { auth: [{ credential: 'a:b' }, { credential: 'c:d', user: 'c' }] },
      [`\`auth\`: unknown key 'user': ${AUTH}`],
    ],
    [
      { auth: { credentials: 'a:b' } },
      [
        `\`auth\`: unknown key 'credentials': ${AUTH}`,
        expect.stringContaining('`auth.credential` is undefined'),
      ],
    ],
    [{ acl: [{ scheme: 'ip', id: '10.0.0.1', permissions: 31, perms: 1 }] }, [RULE]],
    [
      { acl: [{ scheme: 'ip', id: '10.0.0.1', perms: 1 }] },
      [expect.stringContaining("`acl` must be 'creator', 'open' or rules like"), RULE],
    ],
  ] as [unknown, string[]][])('%o', ([options, problems]) => {
    expect(problemsOf(options)).toEqual(problems);
  });
});

test('an option of the module itself is refused among those of the service, once', () => {
  const self = 'give it to `LockModule.forRootAsync` itself, beside `useFactory`';
  expect(problemsOf({ name: 'reports', isGlobal: true, lazy: 1 })).toEqual([
    `unknown module option 'isGlobal': ${self}`,
    `unknown module option 'name': ${self}, or to \`createLockService\` as its second argument`,
    '`lazy` must be true or false: got 1 (number)',
  ]);
});

test.for([
  ['user:password', 'string'],
  [null, 'null'],
  [Buffer.from('user:password'), 'an object Buffer'],
  [[['user:password']], 'an array of 1'],
])('credentials must be an object: %o', ([auth, kind]) => {
  expect(problemsOf({ auth })).toEqual([
    expect.stringMatching(new RegExp(`or a list of these: got ${String(kind)}$`)),
  ]);
});

test('all problems are reported at once', () => {
  const options = {
    sesionTimeout: 1,
    drainTimeout: -1,
    host: '',
    port: 0,
    root: '',
    resourceName: '',
    lazy: 0,
  };
  expect(problemsOf(options)).toHaveLength(7);
  expect(() => resolveModuleOptions(options as unknown as LockModuleOptions)).toThrow(
    /^7 problems:\n- `host` is an empty string/,
  );
});

describe('secrets are never printed', () => {
  const secret = 'hunter2';

  test.for([
    { auth: { credential: '' }, password: secret },
    { auth: { password: secret } },
    { auth: [{ scheme: [secret], credential: [secret] }] },
    { auth: secret },
    { auth: [secret, null] },
    { acl: [{ scheme: 'digest', id: `user:${secret}` }] },
    { tls: { passphrase: secret }, lazy: 1 },
    { tls: { key: 'x', passphrase: [secret] } },
    { tls: secret },
    { connectString: `shop:${secret}@zk1` },
    { host: `shop:${secret}@zk1` },
    { host: `shop:${secret}/x@zk1` },
    { authentication: secret },
  ])('%o', (options) => {
    const problems = problemsOf(options);
    expect(problems.length).toBeGreaterThan(0);
    expect(problems.join('\n')).not.toContain(secret);
  });
});
