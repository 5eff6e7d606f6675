import { describe, expect, test } from 'vitest';
import type { OwnerRecord } from '../../lib/locking/lock-provider.interface.js';
import { readOwner } from '../../lib/zookeeper/recipe/owner-record.js';

const record: OwnerRecord = { owner: 'web-1', host: 'h', pid: 17, since: '2026-11-21T12:00:00.000Z' };

describe('the data of a contender', () => {
  test.for([record, { ...record, purpose: 'Orders.pay' }, { ...record, owner: 'ä\u{1f512}' }])(
    'survive a round trip: %o',
    (owner) => {
      expect(readOwner(Buffer.from(JSON.stringify(owner)))).toEqual(owner);
    },
  );

  test.for([
    ['nothing', ''],
    ['the address written by Curator', '10.0.0.1'],
    ['a revocation request of Curator', '__REVOKE__'],
    ['not JSON', '{"owner":'],
    ['other JSON', '"web-1"'],
    ['null', 'null'],
    ['a record without an owner', JSON.stringify({ ...record, owner: undefined })],
    ['a record with a pid as text', JSON.stringify({ ...record, pid: '17' })],
    ['a record with an infinite pid', JSON.stringify(record).replace('17', '1e999')],
    ['a record whose purpose is not a string', JSON.stringify({ ...record, purpose: {} })],
    ['a record in its prototype', `{"__proto__":${JSON.stringify(record)}}`],
  ] as const)('is ignored if it is %s', ([, text]) => {
    expect(readOwner(Buffer.from(text))).toBeUndefined();
  });

  const text = JSON.stringify(record);
  const deep = `${'['.repeat(100_000)}${']'.repeat(100_000)}`;

  test.for([
    ['fields of a later version', text.replace('}', ',"mode":"read"}')],
    ['lists in lists', text.replace('}', `,"more":${deep}}`)],
    ['a prototype', text.replace('}', ',"__proto__":{"isHeld":true}}')],
  ] as const)('is read without %s', ([, data]) => {
    const owner = readOwner(Buffer.from(data));
    expect(owner).toStrictEqual(record);
    expect(Object.getPrototypeOf(owner)).toBe(Object.prototype);
  });

  test.for(['owner', 'host', 'since', 'purpose'])('may have a %s of at most 1,024 characters', (field) => {
    const owner = { ...record, [field]: 'x'.repeat(1_024) };
    expect(readOwner(Buffer.from(JSON.stringify(owner)))).toEqual(owner);
    expect(readOwner(Buffer.from(JSON.stringify({ ...owner, [field]: 'x'.repeat(1_025) })))).toBeUndefined();
  });

  test('are not a record if they are not UTF-8', () => {
    expect(readOwner(Buffer.from([0xff, 0xfe, 0x00]))).toBeUndefined();
  });
});
