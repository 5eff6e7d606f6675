import { createRequire } from 'node:module';
import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { LockConfigurationError } from '../../lib/locking/errors/lock-configuration.error.js';
import {
  closedName,
  contenderPrefix,
  findContender,
  isClosed,
  isClosing,
  mayReadOn,
  modeOf,
  sequenceOf,
} from '../../lib/zookeeper/recipe/contender-name.js';
import {
  assertEscapable,
  escapeResource,
  lockPath,
  nameOf,
  parentOf,
} from '../../lib/zookeeper/recipe/lock-path.js';
import { anyText } from './any-text.js';

/** The client's package validates every path too. */
const packagePath = createRequire(import.meta.url)('node-zookeeper-client/lib/Path.js') as {
  validate(path: string): void;
};

/** What `PathUtils.validatePath` of ZooKeeper refuses in a name, UTF-16 unit by unit. */
// oxlint-disable-next-line no-control-regex -- these are the characters ZooKeeper refuses
const REFUSED = /[/\u0000-\u001f\u007f-\u009f\ud800-\uf8ff\ufff0-\uffff]/;

/** Well-formed strings with many characters that need escaping. */
const resource = fc
  .oneof(
    anyText(),
    fc.string({
      unit: fc.constantFrom('.', '/', '%', '%2F', '\u0000', '\u0085', '\ue000', '\uffff', '\u{1f512}', 'ä'),
    }),
  )
  .filter((text) => text !== '');

describe('the escaping is a wire format', () => {
  test.for([
    ['an ordinary name', 'order:42', 'order:42'],
    ['for people', 'Straße 1, 東京', 'Straße 1, 東京'],
    ['no normalisation', 'e\u0301', 'e\u0301'],
    ['marks of URLs', 'a b+c?d#e&f=g@h', 'a b+c?d#e&f=g@h'],
    ['a slash', 'a/b', 'a%2Fb'],
    ['the escape itself', '100%', '100%25'],
    ['what looks escaped', '%2F', '%252F'],
    ['a leading dot', '.', '%2E'],
    ['two dots: one is enough', '..', '%2E.'],
    ['a dot elsewhere', 'a.b.', 'a.b.'],
    ['NUL', 'a\u0000b', 'a%00b'],
    ['C0 controls', '\t\n\u001f', '%09%0A%1F'],
    ['delete and C1 controls', '\u007f\u0080\u009f', '%7F%C2%80%C2%9F'],
    ['after them', '\u00a0', '\u00a0'],
    ['before the surrogates', '\ud7ff', '\ud7ff'],
    ['private use', '\ue000\uf8ff', '%EE%80%80%EF%A3%BF'],
    ['after it', '\uf900', '\uf900'],
    ['above the basic plane', '\u{1f512}', '%F0%9F%94%92'],
    ['the last code point', '\u{10ffff}', '%F4%8F%BF%BF'],
    ['before the specials', '\uffef', '\uffef'],
    ['specials and noncharacters', '\ufff0\ufffd\uffff', '%EF%BF%B0%EF%BF%BD%EF%BF%BF'],
    ['a byte order mark inside', 'a\ufeffb', 'a\ufeffb'],
  ] as const)('%s', ([, name, escaped]) => {
    expect(escapeResource(name)).toBe(escaped);
  });
});

test('every resource has a unique lock path, which decodeURIComponent decodes', () => {
  fc.assert(
    fc.property(resource, (name) => {
      expect(decodeURIComponent(escapeResource(name))).toBe(name);
    }),
    { numRuns: 1_000 },
  );
});

test('the result is always a valid znode name', () => {
  fc.assert(
    fc.property(resource, (name) => {
      const escaped = escapeResource(name);
      expect(escaped).not.toBe('');
      expect(escaped).not.toMatch(/^\./);
      expect(escaped).not.toMatch(REFUSED);
      expect(() => packagePath.validate(`/locks/${escaped}`)).not.toThrow();
    }),
    { numRuns: 1_000 },
  );
});

describe('an escaped name has at most 1,024 bytes, because a session carries all its paths (H61)', () => {
  test.for([
    ['as many letters', 'x'.repeat(1_024)],
    ['slashes', '/'.repeat(341)],
    ['emoji', '\u{1f512}'.repeat(85)],
    ['private characters', '\ue000'.repeat(113)],
  ] as const)('accepted: %s', ([, name]) => {
    expect(() => assertEscapable(name)).not.toThrow();
  });

  test.for([
    ['one slash more', `${'/'.repeat(341)}xx`, 1_025],
    ['one emoji more', '\u{1f512}'.repeat(86), 1_032],
    ['one private character more', '\ue000'.repeat(114), 1_026],
  ] as const)('refused: %s', ([, name, bytes]) => {
    expect(() => assertEscapable(name)).toThrow(LockConfigurationError);
    expect(() => assertEscapable(name)).toThrow(`this one has ${bytes}. Got`);
  });
});

describe('paths', () => {
  test('a lock path is one level below the root', () => {
    expect(lockPath('/shop/locks', 'a/b')).toBe('/shop/locks/a%2Fb');
  });

  test.for([
    ['/a/b/c', '/a/b', 'c'],
    ['/a', undefined, 'a'],
  ] as const)('parent and name of %s', ([path, parent, name]) => {
    expect(parentOf(path)).toBe(parent);
    expect(nameOf(path)).toBe(name);
  });
});

describe('a contender', () => {
  const uuid = '0e8b2b1c-3f1d-4a56-9c0e-7d9f3c1b2a45';
  const other = '1e8b2b1c-3f1d-4a56-9c0e-7d9f3c1b2a45';

  test.for([
    ["Curator's mutex", 'exclusive', `_c_${uuid}-lock-`],
    ["Curator's read lock", 'read', `_c_${uuid}-__READ__`],
    ["Curator's write lock, with one word more", 'write', `_c_${uuid}-fixed-__WRIT__`],
  ] as const)('is named like those of %s', ([, mode, prefix]) => {
    expect(contenderPrefix(uuid, mode)).toBe(prefix);
  });

  test.for([
    ['exclusive', 'lock-'],
    ['write', '__WRIT__'],
  ] as const)('with failure closed and mode %s leaves a node with its number', ([mode, marker]) => {
    const name = `${contenderPrefix(uuid, mode, 'closed')}0000000007`;
    expect(name).toBe(`_c_${uuid}-closing-${marker}0000000007`);
    const closed = closedName(name);
    expect(closed).toBe(`_c_${uuid}-closed-${marker}0000000007`);
    expect([name, closed].map(sequenceOf)).toEqual([7, 7]);
    expect([name, closed].map(modeOf)).toEqual([mode, mode]);
    expect([name, closed].map(isClosing)).toEqual([true, false]);
    expect([name, closed].map(isClosed)).toEqual([false, true]);
  });

  test.for([
    ["Curator's write lock", `_c_${uuid}-__WRIT__0000000007`, true],
    ['a write lock of this library', `${contenderPrefix(uuid, 'write')}0000000007`, false],
    ['a read lock', `${contenderPrefix(uuid, 'read')}0000000007`, false],
    ['an exclusive lock', `${contenderPrefix(uuid, 'exclusive')}0000000007`, false],
  ] as const)('of %s may leave a reader in its place: %s, %s (H18)', ([, name, readsOn]) => {
    expect(mayReadOn(name)).toBe(readsOn);
  });

  test.for([`_c_${uuid}-lock-0000000007`, 'x-closing-lock-7', 'x-closed-lock-7'])(
    '%s has nothing to do with closed locks',
    (name) => {
      expect([isClosing(name), isClosed(name)]).toEqual([false, false]);
    },
  );

  const prefix = contenderPrefix(uuid, 'exclusive');

  test('is found by its uuid', () => {
    const mine = `_c_${uuid}-lock-0000000007`;
    expect(findContender([`_c_${other}-lock-0000000001`, 'junk', mine], prefix)).toBe(mine);
  });

  test.for([
    ['nobody', []],
    ['other contenders only', [`_c_${other}-lock-0000000001`]],
    ['the same uuid in another recipe', [`_c_${uuid}-__READ__0000000001`]],
    ['a child without a sequence number', [`_c_${uuid}-lock-`]],
  ] as const)('is not found among %s', ([, children]) => {
    expect(findContender(children, prefix)).toBeUndefined();
  });
});
