import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import type { Jute } from '../../lib/zookeeper/client/jute.interface.js';
import type { loadPackageInternals as Load } from '../../lib/zookeeper/client/package-internals.js';

/** Replacements for exports of the package's records. */
const replaced = vi.hoisted((): { exports: object } => ({ exports: {} }));

vi.mock('node-zookeeper-client/lib/jute/index.js', async (importOriginal) => {
  const original = await importOriginal<{ default: Jute }>();
  const get = (target: Jute, name: string): unknown =>
    Reflect.get(name in replaced.exports ? replaced.exports : target, name);
  return { default: new Proxy(original.default, { get }) };
});

let loadPackageInternals: typeof Load;
beforeEach(async () => {
  // Specs share their modules: other specs have loaded the package, and must not get these replacements.
  vi.resetModules();
  ({ loadPackageInternals } = await import('../../lib/zookeeper/client/package-internals.js'));
});
afterEach(() => {
  replaced.exports = {};
  vi.resetModules();
});

test('the installed package has the expected internals', () => {
  const { jute, validatePath } = loadPackageInternals();
  expect(new jute.protocol.RequestHeader(1, 2)).toMatchObject({ xid: 1, type: 2 });
  expect(() => validatePath('x')).toThrow();
});

test('a package that writes other bytes is refused with an error that says what to do', () => {
  class OtherRequest {
    toBuffer = (): Buffer => Buffer.from('00ff', 'hex');
  }
  replaced.exports = { Request: OtherRequest };
  expect(() => loadPackageInternals()).toThrow(
    'nestjs-locked cannot work with the installed version of node-zookeeper-client: it encodes a create request as 00ff. ' +
      'Install version 1.1.3; "npm ls node-zookeeper-client" shows which dependency brings another copy.',
  );
});

test('a package that writes only transactions differently is refused too', () => {
  class OtherTransaction {
    byteLength = (): number => 4;
    serialize = (): number => 4;
  }
  replaced.exports = { TransactionRequest: OtherTransaction };
  expect(() => loadPackageInternals()).toThrow(
    'it encodes a multi request as 0000000c000000010000000e00000000. ',
  );
});

test('missing internals are named', () => {
  replaced.exports = { protocol: { RequestHeader: Object, AuthPacket: Object } };
  expect(() => loadPackageInternals()).toThrow(
    'lib/jute lacks CreateRequest, DeleteRequest, SetDataRequest, ExistsRequest, GetDataRequest',
  );
  replaced.exports = { data: undefined };
  expect(() => loadPackageInternals()).toThrow('lib/jute lacks ACL, Id');
});
