import { createRequire } from 'node:module';
import { beforeEach, expect, test, vi } from 'vitest';
import { loadPackageInternals } from '../../lib/zookeeper/driver/package-internals.js';

/** What the package seems to be, by the path it is required with. */
const replaced = vi.hoisted(() => new Map<string, unknown>());

vi.mock('node:module', async (importOriginal) => {
  const original = await importOriginal<{ createRequire: typeof createRequire }>();
  return {
    ...original,
    createRequire: (from: string) => {
      const require = original.createRequire(from);
      return (path: string): unknown => (replaced.has(path) ? replaced.get(path) : require(path));
    },
  };
});

beforeEach(() => {
  replaced.clear();
});

test('the installed package is the one that is described', () => {
  const { jute, validatePath } = loadPackageInternals();
  expect(new jute.protocol.RequestHeader(1, 2)).toMatchObject({ xid: 1, type: 2 });
  expect(() => validatePath('x')).toThrow();
});

test.each(['1.1.2', '1.1.4', '2.0.0'])('version %s is refused with what to do about it', (version) => {
  replaced.set('node-zookeeper-client/package.json', { version });
  expect(() => loadPackageInternals()).toThrow(
    `nestjs-locked works with node-zookeeper-client 1.1.3 exactly: found version ${version}. ` +
      'Another dependency probably brings its own copy; see "npm ls node-zookeeper-client".',
  );
});

test('missing internals are named', () => {
  replaced.set('node-zookeeper-client/lib/jute/index.js', {
    protocol: { RequestHeader: Object, AuthPacket: Object },
  });
  expect(() => loadPackageInternals()).toThrow(
    'lib/jute lacks CreateRequest, DeleteRequest, ExistsRequest, GetDataRequest',
  );
});
