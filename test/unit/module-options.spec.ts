import { describe, expect, test } from 'vitest';
import type { LockModuleOptions } from '../../lib/options/lock-module-options.js';
import { resolveModuleOptions } from '../../lib/options/resolve-module-options.js';

const OPEN = [{ scheme: 'world', id: 'anyone', permissions: 31 }];
const CREATOR = [{ scheme: 'auth', id: '', permissions: 31 }];

test('every default, as documented', () => {
  expect(resolveModuleOptions({})).toEqual({
    ensembles: [{ servers: [{ host: 'localhost', port: 2181 }], root: '/locks', chroot: '' }],
    createChroot: false,
    sessionTimeout: 20_000,
    connectTimeout: 10_000,
    maxSessionPathBytes: 262_144,
    slowWaitWarning: 30_000,
    shutdownHookWarning: true,
    drainTimeout: 10_000,
    lazy: false,
    defaults: { wait: Infinity, ttl: 0, maxWaiters: Infinity, whenCallerLeaves: 'leave', reentrant: false },
    retry: { maxRetryCount: 0, initialRetryWaitMs: 50, retryDelay: undefined },
    owner: undefined,
    release: 'confirmed',
    localQueue: true,
    handOver: 0,
    linger: 0,
    crashGuard: false,
    auth: [],
    acl: OPEN,
    tls: undefined,
  });
});

test('given options are kept', () => {
  const tls = { ca: '-----BEGIN' };
  const retryDelay = () => 5;
  const options: LockModuleOptions = {
    connectString: 'zk1:2182,[::1]/shop',
    createChroot: true,
    root: '/a/b',
    sessionTimeout: 500,
    connectTimeout: 1,
    maxSessionPathBytes: 4_096,
    slowWaitWarning: 5_000,
    shutdownHookWarning: false,
    drainTimeout: 0,
    lazy: true,
    defaults: { wait: 0, ttl: 60_000, maxWaiters: 3, whenCallerLeaves: 'stay', reentrant: true },
    maxRetryCount: 3,
    initialRetryWaitMs: 0,
    retryDelay,
    owner: 'me',
    release: 'sent',
    localQueue: true,
    handOver: 16,
    linger: 500,
    crashGuard: true,
    auth: { credential: 'user:secret' },
    tls,
  };
  expect(resolveModuleOptions(options)).toEqual({
    ensembles: [
      {
        servers: [
          { host: 'zk1', port: 2182 },
          { host: '::1', port: 2181 },
        ],
        root: '/shop/a/b',
        chroot: '/shop',
      },
    ],
    createChroot: true,
    sessionTimeout: 500,
    connectTimeout: 1,
    maxSessionPathBytes: 4_096,
    slowWaitWarning: 5_000,
    shutdownHookWarning: false,
    drainTimeout: 0,
    lazy: true,
    defaults: { wait: 0, ttl: 60_000, maxWaiters: 3, whenCallerLeaves: 'stay', reentrant: true },
    retry: { maxRetryCount: 3, initialRetryWaitMs: 0, retryDelay },
    owner: 'me',
    release: 'sent',
    localQueue: true,
    handOver: 16,
    linger: 500,
    crashGuard: true,
    auth: [{ scheme: 'digest', credential: Buffer.from('user:secret') }],
    acl: CREATOR,
    tls,
  });
});

test.for([0, Infinity])('a slowWaitWarning of %d disables the warning', (slowWaitWarning) => {
  expect(resolveModuleOptions({ slowWaitWarning }).slowWaitWarning).toBe(Infinity);
});

describe('a list of connect strings', () => {
  test('is a list of ensembles, each with a chroot of its own', () => {
    const options = {
      connectString: ['zk1,zk2/shop', 'zk3:2182', 'zk3:2182/eu'],
      root: '/a',
      resourceName: 'b',
    };
    expect(resolveModuleOptions(options).ensembles).toEqual([
      {
        servers: [
          { host: 'zk1', port: 2181 },
          { host: 'zk2', port: 2181 },
        ],
        chroot: '/shop',
        root: '/shop/a/b',
      },
      { servers: [{ host: 'zk3', port: 2182 }], chroot: '', root: '/a/b' },
      { servers: [{ host: 'zk3', port: 2182 }], chroot: '/eu', root: '/eu/a/b' },
    ]);
  });

  test('with one entry is the same as the entry', () => {
    const connectString = 'zk1,zk2/shop';
    expect(resolveModuleOptions({ connectString: [connectString] })).toEqual(
      resolveModuleOptions({ connectString }),
    );
  });
});

describe('the options of earlier libraries', () => {
  test.for([
    [{ host: 'zk1' }, { host: 'zk1', port: 2181 }],
    [{ port: 2182 }, { host: 'localhost', port: 2182 }],
    [
      { host: '10.0.0.1', port: 65_535 },
      { host: '10.0.0.1', port: 65_535 },
    ],
    [
      { host: '::1', port: 1 },
      { host: '::1', port: 1 },
    ],
  ] as const)('%o is one server', ([options, server]) => {
    expect(resolveModuleOptions(options).ensembles[0].servers).toEqual([server]);
  });

  test.for([
    [{ resourceName: 'orders' }, '/locks/orders'],
    [{ root: '/app', resourceName: 'a/b' }, '/app/a%2Fb'],
    [{ connectString: 'zk/shop', resourceName: '..' }, '/shop/locks/%2E.'],
  ] as const)('resourceName adds a segment: %o', ([options, root]) => {
    expect(resolveModuleOptions(options).ensembles[0].root).toBe(root);
  });

  test.for([
    [{ maxAttempts: 1 }, { wait: 0, ttl: 0 }],
    [{ maxAttempts: null }, { wait: Infinity, ttl: 0 }],
    [
      { maxAttempts: 1, defaults: { ttl: 5 } },
      { wait: 0, ttl: 5 },
    ],
  ] as const)('%o', ([options, defaults]) => {
    expect(resolveModuleOptions(options).defaults).toMatchObject(defaults);
  });

  test('retryDelay may be a number', () => {
    expect(resolveModuleOptions({ retryDelay: 0 }).retry.retryDelay).toBe(0);
  });
});

describe('an object of a class', () => {
  class Environment {
    readonly #servers: string | undefined;

    constructor(servers: string | undefined) {
      this.#servers = servers;
    }

    get connectString(): string | undefined {
      return this.#servers;
    }

    get describe(): string {
      return 'not an option';
    }
  }

  class Config extends Environment {
    readonly owner = 'shop';

    get root(): string {
      return '/shop';
    }
  }

  const resolve = (options: object) => resolveModuleOptions(options);

  test('is read with its getters, and those of its superclass', () => {
    expect(resolve(new Config('zk1:2181'))).toMatchObject({
      owner: 'shop',
      ensembles: [{ servers: [{ host: 'zk1', port: 2181 }], root: '/shop' }],
    });
  });

  test('is checked in the same way', () => {
    expect(() => resolve(new Config(undefined))).toThrow(
      '`connectString` is undefined: the environment variable',
    );
    expect(() => resolve(new Config('zk1:x'))).toThrow('Invalid connect string "zk1:x"');
    expect(() => resolve(Object.assign(new Config('zk1'), { wait: 5 }))).toThrow(
      "unknown module option 'wait'",
    );
  });
});

describe('access rules', () => {
  const auth = [{ credential: 'a:b' }, { scheme: 'x509', credential: 'cert' }];
  const own = [{ scheme: 'ip', id: '10.0.0.0/8', permissions: 5 }];

  test.for([
    ['none without credentials', {}, OPEN],
    ['the creator’s with credentials', { auth }, CREATOR],
    ['none with credentials, if requested', { auth, acl: 'open' }, OPEN],
    ['the creator’s', { auth, acl: 'creator' }, CREATOR],
    ['custom rules', { acl: own }, own],
  ] as [string, LockModuleOptions, unknown][])('%s', ([, options, acl]) => {
    expect(resolveModuleOptions(options).acl).toEqual(acl);
  });

  test('every credential is sent, in order', () => {
    expect(resolveModuleOptions({ auth }).auth).toEqual([
      { scheme: 'digest', credential: Buffer.from('a:b') },
      { scheme: 'x509', credential: Buffer.from('cert') },
    ]);
  });
});
