import { connect } from 'node:net';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { openLockService } from '../../lib/create-lock-service.js';
import { SystemClock } from '../../lib/locking/clock.js';
import { systemRandom, type RandomSource } from '../../lib/locking/random-source.js';
import { formatAddress } from '../../lib/zookeeper/client/server-list.js';
import type { SocketFactory } from '../../lib/zookeeper/client/socket-factory.js';
import { openClient } from '../client/client-harness.js';
import { CountingClock } from '../client/counting-clock.js';
import { endedWithTest } from '../fixtures/ended-with-test.js';
import { ON_FIRST, ON_SECOND } from '../fixtures/spread-locks.js';
import { startTestServer, type TestServer } from '../support/test-server.js';

/** Addresses for documentation (RFC 5737): nothing answers there. */
const SERVERS = [
  { host: '192.0.2.1', port: 2181 },
  { host: '192.0.2.2', port: 2181 },
];

let server: TestServer;

beforeAll(async () => {
  server = await startTestServer();
});

afterAll(async () => server.giveBack());

/** Records its uuids, so that a test can recognize them. */
class RecordedRandom implements RandomSource {
  readonly uuids: string[] = [];
  readonly fraction = (): number => 0;

  uuid(): string {
    const uuid = systemRandom.uuid();
    this.uuids.push(uuid);
    return uuid;
  }
}

test('a lock service takes servers, clock, randomness and sockets from its environment', async () => {
  const dialled: string[] = [];
  const openSocket: SocketFactory = (address, opened) => {
    dialled.push(formatAddress(address));
    return connect({ host: server.host, port: server.port }, opened);
  };
  const clock = new CountingClock();
  const random = new RecordedRandom();
  const systemFraction = vi.spyOn(Math, 'random');
  const environment = { ensembles: [SERVERS] as const, clock, random, openSocket, opened: () => {} };

  const options = { root: '/environment', drainTimeout: 0 };
  const locks = await openLockService(options, undefined, environment);
  endedWithTest({ [Symbol.asyncDispose]: () => locks.close() });
  const held = await locks.lock('a');
  expect(systemFraction).not.toHaveBeenCalled();
  const [contender] = await childrenOf('/environment/a');

  // With fractions of 0, the shuffle puts the second server first.
  expect(dialled).toEqual(['192.0.2.2:2181']);
  expect(clock.started).toBeGreaterThan(0);
  expect(held.owner.split(':').at(-1)).toBe(random.uuids[0]!.slice(0, 8));
  expect(contender).toContain(random.uuids.at(-1));
  expect(random.uuids.length).toBeGreaterThan(2);
});

test('the ensembles of an environment replace those of the options', async () => {
  const environment = { ensembles: [[server]] as const, clock: new SystemClock(), opened: () => {} };
  const options = { connectString: ['192.0.2.1/a', '192.0.2.2/b'], root: '/all', drainTimeout: 0 };
  const locks = await openLockService(options, undefined, environment);
  endedWithTest({ [Symbol.asyncDispose]: () => locks.close() });
  await locks.lock([ON_FIRST, ON_SECOND]);
  expect((await childrenOf('/a/all')).toSorted()).toEqual([ON_SECOND, ON_FIRST]);
});

async function childrenOf(path: string): Promise<readonly string[]> {
  const { client } = endedWithTest(await openClient(server));
  return client.getChildren(path);
}
