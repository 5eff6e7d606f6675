import { once } from 'node:events';
import { promisify } from 'node:util';
import { createClient, type Client, type Transaction } from 'node-zookeeper-client';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { commitFenced, StaleFencingTokenError, type ZnodeClient } from '../../lib/index.js';
import { Barrier } from '../fixtures/latch.js';
import { Replica } from '../fixtures/replica.js';
import { useZooKeeper } from '../fixtures/zookeeper-fixture.js';
import { eventually } from '../support/eventually.js';
import { ifThere } from '../support/if-there.js';
import { RawSession } from '../support/raw-session.js';

const zooKeeper = useZooKeeper();
/** The application's own client, apart from the sessions of the lock services. */
let client: Client;
let observer: RawSession;
let limits: string;
let fence: string;
let counter = 0;

beforeAll(async () => {
  client = createClient(zooKeeper.server.connectString);
  const connected = once(client, 'connected');
  client.connect();
  await connected;
  observer = await RawSession.connect(zooKeeper.server, { keepAlive: true });
});

afterAll(async () => {
  const disconnected = once(client, 'disconnected');
  client.close();
  await disconnected;
  await observer.closeSession();
});

beforeEach(async () => {
  const directory = `/config-${++counter}`;
  [limits, fence] = [`${directory}/limits`, `${directory}/fence`];
  for (const path of [directory, limits]) await observer.create2(path);
});

/** Writes the token itself, so that the data say who wrote them. */
async function writeLimits(fencingToken: bigint, through: ZnodeClient<Transaction> = client) {
  await commitFenced(through, fence, { resource: 'limits', fencingToken }, (transaction) =>
    transaction.setData(limits, Buffer.from(String(fencingToken))),
  );
}

async function contentOf(path: string): Promise<string> {
  await observer.sync();
  return (await observer.getData(path)).data.toString();
}

/** A client whose reads return what they have read only after `delay`, so that others can write in between. */
function readingBefore(delay: () => Promise<unknown>): ZnodeClient<Transaction> {
  return {
    getData: (path, callback) =>
      client.getData(path, (...read) => {
        const answer = () => callback(...read);
        void delay().then(answer);
      }),
    transaction: () => client.transaction(),
  };
}

/** A client that commits only when two have read. */
function readingTogether(): ZnodeClient<Transaction> {
  const barrier = new Barrier(2);
  return readingBefore(() => barrier.join());
}

test('a holder whose lock was lost writes late: the server rejects it, and the data stay', async () => {
  const options = zooKeeper.options();
  const stale = await (await Replica.open(options)).hold('limits', { ttl: 20 });
  await eventually(() => stale.signal.aborted);
  const held = await (await Replica.open(options)).hold('limits');
  const write = (text: string) => (transaction: Transaction) =>
    void transaction.setData(limits, Buffer.from(text));

  await commitFenced(client, fence, held, write('the first write of the later holder'));
  await commitFenced(client, fence, held, write('its second write'));
  const late = commitFenced(client, fence, stale, write('late'));

  await expect(late).rejects.toThrow(StaleFencingTokenError);
  await expect(late).rejects.toMatchObject({
    resource: 'limits',
    fencingToken: stale.fencingToken,
    newest: held.fencingToken,
  });
  expect(await contentOf(limits)).toBe('its second write');
});

describe.for(['without a fence yet', 'with a fence'])('two holders race, %s', (start) => {
  beforeEach(async () => {
    if (start === 'with a fence') await writeLimits(1n);
  });

  test('the stale one commits first: the later one commits after it', async () => {
    const together = readingTogether();
    await Promise.all([writeLimits(5n, together), writeLimits(6n, together)]);
    expect(await contentOf(limits)).toBe('6');
    expect(await contentOf(fence)).toBe('6');
  });

  test('the stale one commits second: the server rejects it', async () => {
    const together = readingTogether();
    const later = writeLimits(6n, together);
    await expect(writeLimits(5n, together)).rejects.toThrow(StaleFencingTokenError);
    await later;
    expect(await contentOf(limits)).toBe('6');
    expect(await contentOf(fence)).toBe('6');
  });
});

test('a second write of a holder is rejected if a later one writes between its read and its commit', async () => {
  await writeLimits(5n);
  const overtaken = readingBefore(() => writeLimits(6n));
  await expect(writeLimits(5n, overtaken)).rejects.toMatchObject({ fencingToken: 5n, newest: 6n });
  expect(await contentOf(limits)).toBe('6');
});

test('a fence is raised only together with the write', async () => {
  await writeLimits(5n);
  const failing = commitFenced(client, fence, { resource: 'limits', fencingToken: 6n }, (transaction) => {
    transaction.setData(limits, Buffer.from('6')).remove('/missing');
  });
  await expect(failing).rejects.toMatchObject({ name: 'NO_NODE' });
  expect(await contentOf(limits)).toBe('5');
  expect(await contentOf(fence)).toBe('5');
});

test('a holder can raise the fence before it reads', async () => {
  await writeLimits(4n);
  await commitFenced(client, fence, { resource: 'limits', fencingToken: 6n }, () => {});
  await expect(writeLimits(5n)).rejects.toThrow(StaleFencingTokenError);
  expect(await contentOf(limits)).toBe('4');
  await writeLimits(6n);
  expect(await contentOf(limits)).toBe('6');
});

test('a fence that is deleted before the write is created again', async () => {
  await writeLimits(5n);
  const deleting = readingBefore(() => ifThere(observer.delete(fence)));
  await writeLimits(6n, deleting);
  expect(await contentOf(fence)).toBe('6');
});

describe('a fence that the application created', () => {
  test('is refused with version 0, which node-zookeeper-client does not check', async () => {
    await promisify<string, unknown>((path, done) => client.create(path, done))(fence);
    await expect(writeLimits(5n)).rejects.toThrow(
      `The fence '${fence}' has version 0, which node-zookeeper-client cannot check`,
    );
    await observer.setData(fence, Buffer.alloc(0));
    await writeLimits(5n);
    expect(await contentOf(fence)).toBe('5');
  });

  test('is refused if it contains something else', async () => {
    await observer.setData(limits, Buffer.from('{"max":5}'));
    fence = limits;
    await expect(writeLimits(5n)).rejects.toThrow(
      `The znode '${limits}' is not a fence: it contains '{"max":5}' (string) instead of a fencing token`,
    );
  });
});

test('a fence without a parent is refused', async () => {
  fence = '/nowhere/fence';
  await expect(writeLimits(5n)).rejects.toThrow("The fence '/nowhere/fence' cannot be created: its parent");
});

test('the hold of a reader is refused', async () => {
  const replica = await Replica.open(zooKeeper.options());
  const reader = await replica.hold('limits', { mode: 'read' });
  await expect(commitFenced(client, fence, reader, () => {})).rejects.toThrow("mode 'read'");
});
