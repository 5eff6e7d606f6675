import { describe, expect, test } from 'vitest';
import { isAllowed, resolveAcl } from '../../../lib/testing/identity/access.js';
import { digestIdentity } from '../../../lib/testing/identity/identity.js';
import { IdentitySet } from '../../../lib/testing/identity/identity-set.js';
import { OperationError } from '../../../lib/testing/tree/operation-error.js';
import { PERMISSION, type Acl } from '../../../lib/zookeeper/protocol/acl.js';

const { READ, WRITE, ALL } = PERMISSION;
const ALICE = digestIdentity(Buffer.from('alice:secret'));
const LOCAL = { scheme: 'ip', id: '127.0.0.1' };

const rule = (scheme: string, id: string, permissions: number = ALL): Acl => ({ permissions, scheme, id });

test('credentials hash to the same identity as with other clients', () => {
  // echo -n alice:secret | openssl dgst -sha1 -binary | base64
  expect(ALICE).toEqual({ scheme: 'digest', id: 'alice:aYXlLOpEooaV1cRAvUL1fp9Qt7E=' });
});

describe('what is allowed', () => {
  test.for([
    ['anyone', [rule('world', 'anyone')], [], READ, true],
    ['anyone, but another right', [rule('world', 'anyone', READ)], [], WRITE, false],
    ['one of two rights is enough', [rule('world', 'anyone', READ)], [], READ | WRITE, true],
    ['the one who is named', [rule('digest', ALICE.id)], [LOCAL, ALICE], READ, true],
    ['somebody else', [rule('digest', 'bob:x')], [ALICE], READ, false],
    ['nobody in particular', [rule('digest', ALICE.id)], [LOCAL], READ, false],
    ['the second rule', [rule('digest', 'bob:x'), rule('world', 'anyone', READ)], [], READ, true],
    ['an address', [rule('ip', '127.0.0.1')], [LOCAL], READ, true],
    ['a range of addresses', [rule('ip', '127.99.99.99/8')], [LOCAL], READ, true],
    ['the last address of a range', [rule('ip', '127.0.0.0/31')], [LOCAL], READ, true],
    ['an address next to a range', [rule('ip', '127.0.0.2/31')], [LOCAL], READ, false],
    ['every address', [rule('ip', '1.2.3.4/0')], [LOCAL], READ, true],
    ['an address that is not meant', [rule('ip', '127.0.0.2')], [LOCAL], READ, false],
    ['the scheme counts', [rule('digest', LOCAL.id)], [LOCAL], READ, false],
  ] as const)('%s', ([, acl, identities, permission, allowed]) => {
    expect(isAllowed(acl, permission, identities)).toBe(allowed);
  });
});

describe('rules that are accepted', () => {
  test.for([
    ['as they are', [rule('world', 'anyone'), rule('ip', '10.0.0.0/8')], undefined],
    ['once', [rule('world', 'anyone'), rule('world', 'anyone')], [rule('world', 'anyone')]],
    ['auth stands for the creator', [rule('auth', 'whatever', READ)], [rule('digest', ALICE.id, READ)]],
    ['a hash is not checked', [rule('digest', 'bob:nothing'), rule('digest', ':x')], undefined],
  ] as const)('%s', ([, acl, expected]) => {
    expect(resolveAcl(acl, [LOCAL, ALICE])).toEqual(expected ?? acl);
  });
});

describe('rules that are refused', () => {
  test.for([
    ['none', []],
    ['not even a list', null],
    ['auth of somebody who has proved nothing', [rule('auth', '')]],
    ['world other than anyone', [rule('world', 'someone')]],
    ['a scheme nobody knows', [rule('sasl', 'alice')]],
    ['a digest without a hash', [rule('digest', 'alice')]],
    ['a digest with an empty hash', [rule('digest', 'alice:')]],
    ['a digest in three parts', [rule('digest', 'a:b:c')]],
    ['an address of three parts', [rule('ip', '1.2.3')]],
    ['an address out of range', [rule('ip', '1.2.3.256')]],
    ['too many bits', [rule('ip', '1.2.3.4/33')]],
    ['IPv6', [rule('ip', '::1')]],
    ['one bad among good ones', [rule('world', 'anyone'), rule('ip', '')]],
  ] as const)('%s', ([, acl]) => {
    expect(() => resolveAcl(acl, [LOCAL])).toThrow(new OperationError('INVALID_ACL'));
  });
});

test('a connection has each identity once', () => {
  const identities = new IdentitySet();
  for (const identity of [LOCAL, ALICE, { ...LOCAL }]) identities.add(identity);
  expect(identities.all()).toHaveLength(2);
  expect(identities.all()).toEqual(expect.arrayContaining([LOCAL, ALICE]));
});
