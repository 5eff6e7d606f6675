import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { LockConfigurationError } from '../../lib/locking/errors/lock-configuration.error.js';
import { assertResourceName } from '../../lib/locking/resource-name.js';
import { anyText } from './any-text.js';

const LONE = ['\ud83d', '\udd12', 'a\ud83db', '\udd12\ud83d', '\ud83d\ud83d\udd12'];

describe('accepts', () => {
  test.for([
    ['an ordinary name', 'order:42'],
    ['slashes and blanks', 'a/b c'],
    ['dots only', '..'],
    ['controls', 'a\u0000b\n'],
    ['a pair of surrogates', '\ud83d\udd12'],
    ['template syntax', '{0}'],
    ['exactly 1,024 bytes', 'x'.repeat(1_024)],
    ['exactly 1,024 bytes in two-byte letters', 'ä'.repeat(512)],
  ] as const)('%s', ([, name]) => {
    expect(() => assertResourceName(name)).not.toThrow();
  });
});

describe('refuses', () => {
  test.for([
    ['', "a non-empty string: got '' (string)"],
    [undefined, 'a non-empty string: got undefined'],
    [null, 'a non-empty string: got null'],
    [42, 'a non-empty string: got 42 (number)'],
    [['order'], 'a non-empty string: got an array of 1'],
    ['x'.repeat(1_025), 'at most 1024 bytes of UTF-8, this one has 1025: got'],
    ['ä'.repeat(513), 'at most 1024 bytes of UTF-8, this one has 1026: got'],
    ['\u{1f512}'.repeat(257), 'at most 1024 bytes of UTF-8, this one has 1028: got'],
  ] as [unknown, string][])('%o', ([name, message]) => {
    expect(() => assertResourceName(name)).toThrow(LockConfigurationError);
    expect(() => assertResourceName(name)).toThrow(`A resource name must be ${message}`);
  });

  test.for(LONE)('a lone surrogate, which has no UTF-8 form: %j', (name) => {
    expect(() => assertResourceName(name)).toThrow('well-formed Unicode, without lone surrogates');
  });
});

test('accepts exactly the non-empty, well-formed strings that are short enough', () => {
  const text = fc.oneof(
    anyText(400),
    fc.array(fc.integer({ min: 0xd7fe, max: 0xe001 })).map((units) => String.fromCharCode(...units)),
  );
  fc.assert(
    fc.property(text, (name) => {
      const bytes = Buffer.from(name, 'utf8');
      const fits = name !== '' && bytes.toString('utf8') === name && bytes.length <= 1_024;
      if (fits) expect(() => assertResourceName(name)).not.toThrow();
      else expect(() => assertResourceName(name)).toThrow(LockConfigurationError);
    }),
  );
});
