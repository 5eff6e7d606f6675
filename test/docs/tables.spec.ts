import { inspect } from 'node:util';
import { beforeAll, describe, expect, test } from 'vitest';
import { resolveLockedOptions } from '../../lib/options/resolve-locked-options.js';
import {
  LockBusyError,
  LockCallerGoneError,
  LockClosedError,
  LockConfigurationError,
  LockExceptionFilter,
  LockLostError,
  LockTimeoutError,
  LockUnavailableError,
  type LockError,
} from '../../lib/index.js';
import { resolveLockOptions } from '../../lib/locking/lock-options.js';
import { resolveModuleOptions } from '../../lib/options/resolve-module-options.js';
import { Document, codeIn } from './document.js';
import { COMPILER_PATIENCE_MS } from './compiler.js';
import { PublicApi } from './public-api.js';

const options = Document.read('docs/options.md');
const eventsPage = Document.read('docs/events.md');
const errorsPage = Document.read('docs/errors.md');
let library: PublicApi;

beforeAll(() => {
  library = new PublicApi();
}, COMPILER_PATIENCE_MS);

/** The first cells of a table, without the marks of code. */
function named(page: Document, column: string): string[] {
  return page.tables(column).map((row) => codeIn(row[column])[0]!);
}

/** Option to what the column `default` says; options without a default are left out. */
function defaults(section: string): Record<string, string> {
  const rows = options.section(section).tables('option');
  return Object.fromEntries(
    rows.filter((row) => row['default'] !== '').map((row) => [codeIn(row['option'])[0], row['default']]),
  );
}

const code = (value: unknown) =>
  `\`${typeof value === 'string' ? `'${value}'` : String(value).replace(/(?<=\d)(?=(?:\d{3})+$)/g, '_')}\``;

describe('the options', () => {
  test.for([
    ['Module options', 'option', 'LockModuleOptions'],
    ['Module options', 'extra', 'LockModuleExtras'],
    ['Lock options', 'option', 'LockOptions'],
  ] as const)('of %s (%s) are those of %s', ([section, column, type]) => {
    expect(named(options.section(section), column).sort()).toEqual(library.membersOf(type).sort());
  });

  test('of @Locked are the rest of LockedOptions', () => {
    const shared = new Set(library.membersOf('LockOptions'));
    const own = library.membersOf('LockedOptions').filter((name) => !shared.has(name));
    expect(named(options.section('Locked options'), 'option').sort()).toEqual(own.sort());
  });

  test('of a module have the defaults that are written', () => {
    const resolved = resolveModuleOptions({});
    const [server] = resolved.servers;
    expect(defaults('Module options')).toEqual({
      connectString: code(`${server!.host}:${server!.port}`),
      createChroot: code(resolved.createChroot),
      host: code(resolveModuleOptions({ port: 1 }).servers[0]!.host),
      port: `\`${resolveModuleOptions({ host: 'zk' }).servers[0]!.port}\``,
      root: code(resolved.root),
      sessionTimeout: code(resolved.sessionTimeout),
      connectTimeout: code(resolved.connectTimeout),
      maxSessionPathBytes: code(resolved.maxSessionPathBytes),
      lazy: code(resolved.lazy),
      defaults: `\`${inspect(resolved.defaults, { breakLength: Infinity })}\``,
      slowWaitWarning: code(resolved.slowWaitWarning),
      shutdownHookWarning: '`true`',
      drainTimeout: code(resolved.drainTimeout),
      maxRetryCount: code(resolved.retry.maxRetryCount),
      initialRetryWaitMs: code(resolved.retry.initialRetryWaitMs),
      owner: '`<hostname>:<pid>:<8 hex digits>`',
      release: code(resolved.release),
      acl: "`'creator'` with `auth`, `'open'` without",
    });
    expect([resolved.owner, resolved.auth, resolved.tls]).toEqual([undefined, [], undefined]);
  });

  test('have the default rights that are written', () => {
    const auth = { credential: 'shop:secret' };
    const aclOf = (options: object) => resolveModuleOptions(options).acl;
    expect(aclOf({ auth })).toEqual(aclOf({ auth, acl: 'creator' }));
    expect(aclOf({})).toEqual(aclOf({ acl: 'open' }));
  });

  test('of an acquisition have the defaults that are written', () => {
    const { defaults: moduleDefaults } = resolveModuleOptions({});
    const resolved = resolveLockOptions({}, { ...moduleDefaults, owner: 'me' });
    const { ttl, wait, minHold, maxWaiters, whenCallerLeaves, mode } = resolved;
    expect(defaults('Lock options')).toEqual({
      ttl: code(ttl),
      wait: code(wait),
      minHold: code(minHold),
      maxWaiters: code(maxWaiters),
      whenCallerLeaves: code(whenCallerLeaves),
      mode: code(mode),
      owner: "the module's `owner`",
      purpose: '`Class.method` with `@Locked`',
    });
  });

  test('of @Locked have the defaults that are written', () => {
    const { skipIfBusy, allowLiteral } = resolveLockedOptions('test', {});
    expect(defaults('Locked options')).toEqual({
      onBusy: code(skipIfBusy ? 'skip' : 'throw'),
      allowLiteral: code(allowLiteral),
    });
  });
});

test('everything that can be imported is named', () => {
  const text = Document.readAll()
    .map((document) => document.text)
    .join('\n');
  expect(library.values.filter((name) => !new RegExp(`\\b${name}\\b`).test(text))).toEqual([]);
});

test('every connect string of the documentation is accepted', () => {
  const texts = Document.readAll().map(({ text }) => text);
  const written = texts.flatMap((text) => [...text.matchAll(/connectString: '([^']+)'/g)]);
  expect(written.length).toBeGreaterThan(5);
  for (const [, connectString] of written)
    expect(() => resolveModuleOptions({ connectString })).not.toThrow();
});

describe('the events', () => {
  const rows = () => eventsPage.tables('event');

  test('are those of LockEvent', () => {
    expect(named(eventsPage, 'event').sort()).toEqual([...library.eventsOf('LockEvent').keys()].sort());
  });

  test('have the fields that are written', () => {
    const [sentence] = /^These events also have.*$/m.exec(eventsPage.text)!;
    const shared = new Set(['at', ...codeIn(sentence)]);
    const written = rows().map((row) => [codeIn(row['event'])[0], codeIn(row['fields']).sort()]);
    const real = [...library.eventsOf('LockEvent')].map(([type, fields]) => [
      type,
      fields.filter((field) => !shared.has(field)).sort(),
    ]);
    expect(Object.fromEntries(written)).toEqual(Object.fromEntries(real));
  });

  test('all have their place in the grammar', () => {
    const [grammar] = eventsPage.blocks('text');
    const words = new Set(grammar!.text.match(/\w+/g));
    expect([...library.eventsOf('LockEvent').keys()].filter((type) => !words.has(type))).toEqual([]);
  });

  test('lead to the states that are written', () => {
    const states = eventsPage.tables('stream').find((row) => row['stream']!.includes('state$'));
    const words = codeIn(states!['emits']).filter((word) => word !== 'authenticationFailed');
    expect(words.sort()).toEqual(library.literalsOf('ConnectionState').sort());
  });
});

describe('the errors', () => {
  const errors: LockError[] = [
    new LockBusyError('x', undefined),
    new LockTimeoutError('x', 1, undefined),
    new LockCallerGoneError('x'),
    new LockUnavailableError('x', 'away'),
    new LockClosedError('x'),
    new LockLostError('x', 'session'),
    new LockConfigurationError('wrong'),
  ];

  test('are there with every code', () => {
    const codes = errorsPage.tables('class').map((row) => codeIn(row['`code`'])[0]!);
    expect(codes.sort()).toEqual(library.literalsOf('LockErrorCode').sort());
  });

  test('have the code, status and Retry-After that are written', () => {
    class Filter extends LockExceptionFilter {
      status(error: LockError): number {
        return this.statusOf(error);
      }
    }
    const filter = new Filter();
    const written = errorsPage
      .tables('class')
      .map((row) => [
        codeIn(row['class'])[0],
        codeIn(row['`code`'])[0],
        Number(row['HTTP']),
        row['Retry-After'],
      ]);
    expect(written).toEqual(
      errors.map((error) => [
        error.name,
        error.code,
        filter.status(error),
        error.retryAfterMs === undefined ? 'none' : `${error.retryAfterMs / 1_000} s`,
      ]),
    );
  });

  test('of a loss are there with every reason', () => {
    expect(named(errorsPage, 'reason').sort()).toEqual(library.literalsOf('LossReason').sort());
  });
});
