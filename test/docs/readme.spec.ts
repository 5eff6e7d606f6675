import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Injectable } from '@nestjs/common';
import { Test } from '@nestjs/testing';
import { EmptyError } from 'rxjs';
import { beforeAll, describe, expect, test } from 'vitest';
import { resolveLockedOptions } from '../../lib/decorators/resolve-locked-options.js';
import {
  LockBusyError,
  LockClosedError,
  LockConfigurationError,
  LockExceptionFilter,
  LockLostError,
  LockTimeoutError,
  LockUnavailableError,
  Locked,
  type LockError,
} from '../../lib/index.js';
import { resolveLockOptions } from '../../lib/locking/lock-options.js';
import { resolveModuleOptions } from '../../lib/resolve-module-options.js';
import { ZooKeeperError } from '../../lib/zookeeper/driver/zookeeper-error.js';
import { Examples } from './examples.js';
import { Readme, codeIn, type CodeBlock } from './readme.js';

const readme = Readme.read();
const blocks = readme.blocks('ts');
/** What the README says the compiler says about a synchronous method. */
const SYNCHRONOUS: CodeBlock = { text: "class S { @Locked('x') report(): void {} }", line: 0 };
let examples: Examples;

beforeAll(() => {
  examples = new Examples([...blocks, SYNCHRONOUS]);
});

/** The first cells of a table, without the marks of code. */
function named(section: string, column: string): string[] {
  return readme
    .section(section)
    .tables(column)
    .map((row) => codeIn(row[column])[0]!);
}

/** Option to what the column `default` says; options without a default are left out. */
function defaults(section: string): Record<string, string> {
  const rows = readme.section(section).tables('option');
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
    expect(named(section, column).sort()).toEqual(examples.membersOf(type).sort());
  });

  test('of @Locked are the rest of LockedOptions', () => {
    const shared = new Set(examples.membersOf('LockOptions'));
    const own = examples.membersOf('LockedOptions').filter((name) => !shared.has(name));
    expect(named('Locked options', 'option').sort()).toEqual(own.sort());
  });

  test('of a module have the defaults that are written', () => {
    const resolved = resolveModuleOptions({});
    const [server] = resolved.servers;
    expect(defaults('Module options')).toEqual({
      connectString: code(`${server!.host}:${server!.port}`),
      host: code(resolveModuleOptions({ port: 1 }).servers[0]!.host),
      port: `\`${resolveModuleOptions({ host: 'zk' }).servers[0]!.port}\``,
      root: code(resolved.root),
      sessionTimeout: code(resolved.sessionTimeout),
      connectTimeout: code(resolved.connectTimeout),
      maxSessionPathBytes: code(resolved.maxSessionPathBytes),
      lazy: code(resolved.lazy),
      defaults: `\`{ wait: ${resolved.defaults.wait}, ttl: ${resolved.defaults.ttl} }\``,
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
    const { ttl, wait, minHold, mode } = resolveLockOptions({}, { ...moduleDefaults, owner: 'me' });
    expect(defaults('Lock options')).toEqual({
      ttl: code(ttl),
      wait: code(wait),
      minHold: code(minHold),
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

describe('the events', () => {
  const rows = () => readme.section('Events').tables('event');

  test('are those of LockEvent', () => {
    expect(named('Events', 'event').sort()).toEqual([...examples.eventsOf('LockEvent').keys()].sort());
  });

  test('have the fields that are written', () => {
    const [sentence] = /^Of attempts and holds.*$/m.exec(readme.text)!;
    const shared = new Set(['at', ...codeIn(sentence)]);
    const written = rows().map((row) => [codeIn(row['event'])[0], codeIn(row['fields']).sort()]);
    const real = [...examples.eventsOf('LockEvent')].map(([type, fields]) => [
      type,
      fields.filter((field) => !shared.has(field)).sort(),
    ]);
    expect(Object.fromEntries(written)).toEqual(Object.fromEntries(real));
  });

  test('all have their place in the grammar', () => {
    const [grammar] = readme.section('Events').blocks('text');
    const words = new Set(grammar!.text.match(/\w+/g));
    expect([...examples.eventsOf('LockEvent').keys()].filter((type) => !words.has(type))).toEqual([]);
  });

  test('lead to the states that are written', () => {
    const states = readme
      .section('Events')
      .tables('stream')
      .find((row) => row['stream']!.includes('state$'));
    const words = codeIn(states!['emits']).filter((word) => word !== 'authenticationFailed');
    expect(words.sort()).toEqual(examples.literalsOf('ConnectionState').sort());
  });
});

describe('the errors', () => {
  const errors: LockError[] = [
    new LockBusyError('x', undefined),
    new LockTimeoutError('x', 1, undefined),
    new LockUnavailableError('x', 'away'),
    new LockClosedError('x'),
    new LockLostError('x', 'session'),
    new LockConfigurationError('wrong'),
  ];

  test('are there with every code', () => {
    const codes = readme
      .section('Errors')
      .tables('class')
      .map((row) => codeIn(row['`code`'])[0]!);
    expect(codes.sort()).toEqual(examples.literalsOf('LockErrorCode').sort());
  });

  test('have the code, status and Retry-After that are written', () => {
    class Filter extends LockExceptionFilter {
      status(error: LockError): number {
        return this.statusOf(error);
      }
    }
    const filter = new Filter();
    const written = readme
      .section('Errors')
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
    expect(named('Errors', 'reason').sort()).toEqual(examples.literalsOf('LossReason').sort());
  });
});

test('everything that can be imported is named', () => {
  expect(examples.values.filter((name) => !new RegExp(`\\b${name}\\b`).test(readme.text))).toEqual([]);
});

describe('the examples compile', () => {
  test.for(blocks)('that of line $line', (block) => {
    expect(examples.problemsOf(block)).toBeUndefined();
  });

  test('and one that must not, does not', () => {
    const [heading] = troubles.filter((text) => text.startsWith('TS1241'));
    expect(examples.problemsOf(SYNCHRONOUS)).toContain(heading);
  });
});

const troubles = readme.section('Troubleshooting').headings(3);
const DEFAULTS = { wait: 0, ttl: 0, owner: 'me' };
/** Quoted beside our own messages: what Nest says, and what has gaps. */
const NOT_LITERAL = /^the argument LockService|\.\.\./;
const NO_CONNECTION = 'there was no connection to ZooKeeper for 10000 ms';
/** Texts that are put together at run time, or that are not ours. */
const TOLD: Record<string, () => unknown> = {
  "Nest can't resolve": () => Test.createTestingModule({ providers: [S] }).compile(),
  'EmptyError:': () => Promise.reject(new EmptyError()),
  "Lock '...' was lost (session)": () => Promise.reject(new LockLostError('...', 'session')),
  "Lock '...' was lost (ttl)": () => Promise.reject(new LockLostError('...', 'ttl')),
  "Lock '...' was lost (deleted)": () => Promise.reject(new LockLostError('...', 'deleted')),
  'must be a whole number': async () => resolveLockOptions(Infinity, DEFAULTS),
  'Locks are unavailable': () => Promise.reject(new LockUnavailableError(undefined, NO_CONNECTION)),
  'NO_AUTH:': () => Promise.reject(ZooKeeperError.fromReply(-102)),
  'TypeError: Do not know': async () => JSON.stringify(1n),
};

@Injectable()
class S {
  @Locked('x')
  async report(): Promise<void> {}
}

const source = plainSource();

describe('the headings of the troubles are literal', () => {
  test.for(troubles.filter((heading) => !heading.startsWith('TS1241')))('%s', async (heading) => {
    const told = Object.keys(TOLD).find((start) => heading.startsWith(start));
    if (told !== undefined) {
      const error: unknown = await Promise.resolve(TOLD[told]!()).catch((reason: unknown) => reason);
      expect(String(error)).toContain(heading);
      return;
    }
    const pieces = heading.split(/'\.\.\.'|`|\d+|: /).filter((piece) => piece.trim().length > 3);
    expect(pieces.filter((piece) => !source.includes(piece.trim()))).toEqual([]);
  });
});

test('so are the messages that their texts quote', () => {
  const quoted = readme
    .section('Troubleshooting')
    .quotes()
    .filter((text) => text.split(' ').length > 3 && !NOT_LITERAL.test(text));
  expect(quoted.length).toBeGreaterThan(0);
  expect(quoted.filter((text) => !source.includes(text))).toEqual([]);
});

/** The library's source with its texts in one piece: joined over lines, without the marks of code. */
function plainSource(): string {
  const lib = fileURLToPath(new URL('../../lib', import.meta.url));
  return readdirSync(lib, { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.ts'))
    .map((file) => readFileSync(join(lib, file), 'utf8'))
    .join('\n')
    .replace(/['"`] \+\s+['"`]/g, '')
    .replace(/\\?`/g, '');
}
