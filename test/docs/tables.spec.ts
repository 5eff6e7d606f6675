import { beforeAll, describe, expect, test } from 'vitest';
import { LOCKED_OPTIONS } from '../../lib/options/locked-options.js';
import {
  LockBusyError,
  LockCallerGoneError,
  LockClosedError,
  LockConfigurationError,
  LockDeadlockError,
  LockFairnessError,
  LockPermitsError,
  LockExceptionFilter,
  LockLostError,
  LockTimeoutError,
  LockUnavailableError,
  StaleFencingTokenError,
  type LockError,
} from '../../lib/index.js';
import { LOCK_OPTIONS } from '../../lib/locking/lock-options.js';
import { MODULE_OPTIONS } from '../../lib/options/lock-module-options.js';
import { resolveModuleOptions } from '../../lib/options/resolve-module-options.js';
import { LOCKED_RUN_OPTIONS } from '../../lib/schedule/locked-cron-options.js';
import { Document, codeIn } from './document.js';
import { literalDefaults, optionCells, units, type Table } from './option-tables.js';
import { PublicApi } from './public-api.js';

const options = Document.read('docs/options.md');
const eventsPage = Document.read('docs/events.md');
const errorsPage = Document.read('docs/errors.md');
let library: PublicApi;

beforeAll(() => {
  library = new PublicApi();
});

/** The first cells of a table, without the marks of code. */
function named(page: Document, column: string): string[] {
  return page.tables(column).map((row) => codeIn(row[column])[0]!);
}

const { onBusy, service, allowLiteral } = LOCKED_OPTIONS;
const METHOD_OPTIONS: Table = { onBusy, service, allowLiteral };

describe('the options', () => {
  describe.for([
    {
      section: 'Module options',
      type: 'LockModuleOptions',
      table: MODULE_OPTIONS,
      inWords: ['owner', 'acl'],
    },
    { section: 'Lock options', type: 'LockOptions', table: LOCK_OPTIONS, inWords: ['owner', 'purpose'] },
    { section: 'Locked options', type: 'LockedOptions', table: METHOD_OPTIONS, inWords: [] },
  ] as { section: string; type: string; table: Table; inWords: string[] }[])(
    'of "$section"',
    ({ section, type, table, inWords }) => {
      const page = options.section(section);

      test('are those of the source', () => {
        expect(named(page, 'option').sort()).toEqual(Object.keys(table).sort());
      });

      test('have the units of the source', () => {
        expect(optionCells(page, 'unit')).toEqual(units(table));
      });

      test('have the defaults of the source', () => {
        const written = optionCells(page, 'default');
        const words = inWords.map((name) => [name, written[name]]);
        expect(written).toEqual({ ...literalDefaults(table), ...Object.fromEntries(words) });
      });

      test('have the defaults of the doc comments', () => {
        const inherited = type === 'LockedOptions' ? library.defaultsOf('LockOptions') : {};
        expect({ ...inherited, ...optionCells(page, 'default') }).toEqual(library.defaultsOf(type));
      });
    },
  );

  test('of @LockedCron are those of the source, beside those of @Cron', () => {
    const page = Document.read('docs/scheduled-jobs.md');
    expect(named(page, 'option').sort()).toEqual(Object.keys(LOCKED_RUN_OPTIONS).sort());
    expect(optionCells(page, 'unit')).toEqual(units(LOCKED_RUN_OPTIONS));
    expect(optionCells(page, 'default')).toEqual(literalDefaults(LOCKED_RUN_OPTIONS));
  });

  test('that a factory cannot return are those of the source, with the defaults of the doc comments', () => {
    const names = named(options, 'extra');
    expect(names.sort()).toEqual(library.membersOf('LockModuleExtras').sort());
    expect(optionCells(options, 'default', 'extra')).toEqual(library.defaultsOf('LockModuleExtras'));
  });

  test('have the documented default ACLs', () => {
    const auth = { credential: 'shop:secret' };
    const aclOf = (options: object) => resolveModuleOptions(options).acl;
    expect(aclOf({ auth })).toEqual(aclOf({ auth, acl: 'creator' }));
    expect(aclOf({})).toEqual(aclOf({ acl: 'open' }));
  });
});

test('every export is documented', () => {
  const text = Document.readAll()
    .map((document) => document.text)
    .join('\n');
  expect(library.values.filter((name) => !new RegExp(`\\b${name}\\b`).test(text))).toEqual([]);
});

test('every export has a doc comment with @publicApi', () => {
  expect(library.undocumented).toEqual([]);
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

  test('have the documented fields', () => {
    const [sentence] = /^These events also have.*$/m.exec(eventsPage.text)!;
    const shared = new Set(['at', ...codeIn(sentence)]);
    const written = rows().map((row) => [codeIn(row['event'])[0], codeIn(row['fields']).sort()]);
    const real = [...library.eventsOf('LockEvent')].map(([type, fields]) => [
      type,
      fields.filter((field) => !shared.has(field)).sort(),
    ]);
    expect(Object.fromEntries(written)).toEqual(Object.fromEntries(real));
  });

  test('all appear in the grammar', () => {
    const [grammar] = eventsPage.blocks('text');
    const words = new Set(grammar!.text.match(/\w+/g));
    expect([...library.eventsOf('LockEvent').keys()].filter((type) => !words.has(type))).toEqual([]);
  });

  test('lead to the documented states', () => {
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
    new StaleFencingTokenError({ resource: 'x', fencingToken: 5n }),
    new LockDeadlockError('a', { held: { mode: 'read' }, wanted: 'write' }),
    new LockPermitsError('a', { wanted: 3, inUse: 2 }),
    new LockFairnessError('a', true),
    new LockConfigurationError('wrong'),
  ];

  test('are documented for every code', () => {
    const codes = errorsPage.tables('class').map((row) => codeIn(row['`code`'])[0]!);
    expect(codes.sort()).toEqual(library.literalsOf('LockErrorCode').sort());
  });

  test('have the documented code, status and Retry-After', () => {
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

  test('of lost locks are documented for every reason', () => {
    expect(named(errorsPage, 'reason').sort()).toEqual(library.literalsOf('LossReason').sort());
  });
});
