import { describe, expect, it } from 'vitest';
import {
  createLockService,
  type LockModuleOptions,
  type LockService,
  type OwnerRecord,
} from '../../lib/index.js';
import { readOwner } from '../../lib/zookeeper/recipe/owner-record.js';
import { endedWithTest } from '../fixtures/ended-with-test.js';
import { EventRecorder } from '../fixtures/event-recorder.js';
import { hasWaiters } from '../fixtures/has-waiters.js';
import { useZooKeeper } from '../fixtures/zookeeper-fixture.js';
import { eventually } from '../support/eventually.js';
import { installed } from '../support/installed.js';
import { RawSession } from '../support/raw-session.js';
import { ForeignClient } from './foreign-client.js';
import { curator, curatorProgram, kazoo, kazooProgram } from './installations.js';

const RECORD = { owner: 'billing', host: 'java-1', pid: 7, since: '2026-11-21T09:00:00.000Z' };
const DIGITS = 10;

interface Setup {
  readonly connectString: string;
  /** The lock path. */
  readonly path: string;
  replica(owner: string): Promise<LockService>;
  /** The contenders, in the order of their numbers. */
  nodes(): Promise<{ name: string; owner: OwnerRecord | undefined }[]>;
}

describe('a queue of our contenders and those of another library', { timeout: 180_000 }, () => {
  const zookeeper = useZooKeeper();

  async function setUp(): Promise<Setup> {
    const options: LockModuleOptions = zookeeper.options({ drainTimeout: 0, sessionTimeout: 40_000 });
    const path = `${options.root}/order`;
    return {
      path,
      connectString: zookeeper.server.connectString,
      replica: async (owner: string): Promise<LockService> =>
        endedWithTest(await createLockService({ ...options, owner })),
      async nodes(): Promise<{ name: string; owner: OwnerRecord | undefined }[]> {
        await using session = await RawSession.connect(zookeeper.server);
        const names = (await session.getChildren(path)).toSorted(
          (a, b) => Number(a.slice(-DIGITS)) - Number(b.slice(-DIGITS)),
        );
        const data = await Promise.all(names.map((name) => session.getData(`${path}/${name}`)));
        return names.map((name, i) => ({ name, owner: readOwner(data[i]!.data) }));
      },
    };
  }

  async function curatorClient(
    { connectString, path }: Setup,
    mode: string,
    record = '',
  ): Promise<ForeignClient> {
    const args = [connectString, path, mode, record];
    return endedWithTest(await ForeignClient.start(curatorProgram('CuratorClient')!, args));
  }

  it.skipIf(!installed(curator))("is listed by both: Curator's mutex", async () => {
    const setup = await setUp();
    const [here, there] = [await setup.replica('here'), await setup.replica('there')];
    const [java, plain] = await Promise.all([
      curatorClient(setup, 'exclusive', JSON.stringify(RECORD)),
      curatorClient(setup, 'exclusive'),
    ]);
    const held = await here.lock('order');
    java.acquires();
    await hasWaiters(here, 'order', 1);
    const waiting = there.lock('order');
    waiting.catch(() => {});
    await hasWaiters(here, 'order', 2);
    plain.acquires();
    await hasWaiters(here, 'order', 3);

    const participants = (await java.asks('participants', 'participants')).split(',');
    const nodes = await setup.nodes();
    expect(participants).toEqual(nodes.map(({ name }) => name));
    const owners = nodes.map(({ owner }) => owner);
    expect(owners).toMatchObject([{ owner: 'here' }, RECORD, { owner: 'there' }, undefined]);

    const snapshot = await there.inspect('order');
    expect(snapshot.holder).toMatchObject({ owner: { owner: 'here' }, fencingToken: held.fencingToken });
    expect(snapshot.waiters.map(({ owner }) => owner?.owner)).toEqual(['billing', 'there', undefined]);

    await held.release();
    await java.says('acquired');
    expect((await here.inspect('order')).holder).toMatchObject({ owner: RECORD, mode: 'exclusive' });
    await java.asks('release', 'released');
    await (await waiting).release();
    await plain.says('acquired');
    expect((await here.inspect('order')).waiters).toEqual([]);
  });

  it.skipIf(!installed(curator))("is listed by both: Curator's read/write lock", async () => {
    const setup = await setUp();
    const [here, there] = [await setup.replica('here'), await setup.replica('there')];
    const [reader, writer] = await Promise.all(
      ['read', 'write'].map((mode) => curatorClient(setup, mode, JSON.stringify(RECORD))),
    );
    await here.lock('order', { mode: 'read' });
    await reader!.asks('acquire', 'acquired');
    writer!.acquires();
    await hasWaiters(here, 'order', 1);
    const waiting = there.lock('order', { mode: 'write' });
    waiting.catch(() => {});
    await hasWaiters(here, 'order', 2);

    const names = (await setup.nodes()).map(({ name }) => name);
    // Each of Curator's two locks lists only contenders of its own kind.
    expect((await reader!.asks('participants', 'participants')).split(',')).toEqual(names.slice(0, 2));
    expect((await writer!.asks('participants', 'participants')).split(',')).toEqual(names.slice(2));
    const { holders, waiters } = await there.inspect('order');
    const described = [...holders, ...waiters].map(({ mode, owner }) => [mode, owner?.owner]);
    expect(described).toEqual([
      ['read', 'here'],
      ['read', 'billing'],
      ['write', 'billing'],
      ['write', 'there'],
    ]);
    expect(holders).toHaveLength(2);
  });

  it.skipIf(!installed(kazoo))("is listed by both: kazoo's lock", async () => {
    const setup = await setUp();
    const [here, there] = [await setup.replica('here'), await setup.replica('there')];
    const args = [setup.connectString, setup.path, '-lock-', 'python-1'];
    const python = endedWithTest(await ForeignClient.start(kazooProgram('kazoo_client')!, args));
    const held = await here.lock('order');
    python.acquires();
    await hasWaiters(here, 'order', 1);
    const waiting = there.lock('order');
    waiting.catch(() => {});
    await hasWaiters(here, 'order', 2);

    const contenders = JSON.parse(await python.asks('participants', 'participants')) as string[];
    const owners = contenders.map((data) => readOwner(Buffer.from(data))?.owner ?? data);
    expect(owners).toEqual(['here', 'python-1', 'there']);
    const { waiters } = await there.inspect('order');
    expect(waiters.map(({ owner }) => owner?.owner)).toEqual([undefined, 'there']);

    await held.release();
    await python.says('acquired');
    expect((await here.inspect('order')).holder).toMatchObject({ owner: undefined, mode: 'exclusive' });
    // kazoo has no such requests: its holder goes on.
    expect(await there.requestRelease('order')).toBe(true);
    await python.asks('release', 'released');
    await (await waiting).release();
  });

  it.skipIf(!installed(curator)).each(['exclusive', 'read'] as const)(
    'passes requests to release the lock on, in both directions: mode %s',
    async (mode) => {
      const setup = await setUp();
      const [here, there] = [await setup.replica('here'), await setup.replica('there')];
      const events = new EventRecorder(here);
      const java = await curatorClient(setup, mode);

      const held = await here.lock('order', { mode });
      const [node] = await setup.nodes();
      await java.asks(`revoke ${setup.path}/${node!.name}`, 'requested');
      expect(await events.told('revokeRequested')).toMatchObject({
        resource: 'order',
        fencingToken: held.fencingToken,
      });
      expect(held.isHeld()).toBe(true);
      // Curator has replaced the record, and it comes back.
      await eventually(async () => (await there.inspect('order')).holder?.owner?.owner === 'here');
      expect(await held.release()).toBe(true);

      await java.asks('acquire', 'acquired');
      expect(await there.requestRelease('order')).toBe(true);
      await java.says('revoked');
      await java.asks('release', 'released');
      await (await here.lock('order', { mode })).release();
      expect(events.ofType('revokeRequested')).toHaveLength(1);
    },
  );
});
