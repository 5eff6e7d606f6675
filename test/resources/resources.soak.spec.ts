import { afterAll, beforeAll, describe, expect, it, type TestContext } from 'vitest';
import { eventually } from '../support/eventually.js';
import { FaultProxy } from '../support/fault-proxy.js';
import { RawSession } from '../support/raw-session.js';
import { serverResources, type ServerResources } from '../support/server-resources.js';
import { ZooKeeperServer } from '../support/zookeeper-server.js';
import { comparison, expectNoGrowth } from './comparison.js';
import type { Measurement } from './resource-protocol.js';
import { ResourceProcess } from './resource-process.js';
import type { WorkName } from './work.interface.js';

/** No connection is given up because the machine is busy. */
const SESSION_TIMEOUT_MS = 600_000;
const TEST_TIMEOUT_MS = 1_200_000;

interface Course {
  /** Cycles before the first measurement, in which code, pools and lists get their size. */
  readonly warmUp: number;
  readonly cycles: number;
  /** What the server keeps between the cycles, and would not without us. */
  readonly standing: ServerResources;
  /** Called before everything is let go. */
  readonly afterwards?: () => Promise<void>;
}

describe('nothing is left', { timeout: TEST_TIMEOUT_MS }, () => {
  let server: ZooKeeperServer;
  let proxy: FaultProxy;

  beforeAll(async () => {
    server = await ZooKeeperServer.start({
      containerCheckIntervalMs: 200,
      maxSessionTimeout: SESSION_TIMEOUT_MS,
    });
    proxy = await FaultProxy.start(server);
  });

  afterAll(async () => {
    await proxy.stop();
    await server.stop();
  });

  it('of 10,000 contended cycles in two sessions (H14)', async ({ task }) => {
    const counts = await follow(task, 'contendedCycles', {
      warmUp: 2_000,
      cycles: 10_000,
      standing: { watches: 0, znodes: 0, ephemerals: 0, connections: 2 },
    });

    expect(counts['cycles']).toBe(12_000);
    expect(counts['waits']).toBeGreaterThan(6_000);
    expect(counts['largestQueue']).toBeGreaterThan(2);
  });

  it('of 10,000 waits that were aborted, in the queue or on the way into it (H47)', async ({ task }) => {
    const counts = await follow(task, 'abortedWaits', {
      warmUp: 2_000,
      cycles: 10_000,
      // The contender of the holder, below root and lock path, and its watch.
      standing: { watches: 1, znodes: 3, ephemerals: 1, connections: 2 },
      // All of them had come as far as that.
      afterwards: async () => expect(await created('/locks/order')).toBe(1 + 12_000),
    });

    expect(counts).toEqual({ queued: 6_000, abortedInQueue: 6_000, abortedOnTheWay: 6_000, listeners: 0 });
  });

  // Connections that end at once are replaced after half a second each: hence fewer of them.
  it('of 300 connections, while the hold and the waiter that used them go on', async ({ task }) => {
    const counts = await follow(task, 'reconnects', {
      warmUp: 600,
      cycles: 300,
      // Holder and waiter watch the same node, in the same session.
      standing: { watches: 1, znodes: 4, ephemerals: 2, connections: 1 },
    });

    expect(counts).toEqual({ reconnects: 900, grantsOfTheWaiter: 1 });
  });

  /** Measures before and after the cycles, and when everything was let go; returns what the work has counted by then. */
  async function follow(
    task: TestContext['task'],
    work: WorkName,
    { warmUp, cycles, standing, afterwards }: Course,
  ): Promise<Measurement['counts']> {
    const idle = await idleServer();
    const { connectString } = work === 'reconnects' ? proxy : server;
    const options = { connectString, sessionTimeout: SESSION_TIMEOUT_MS, retryDelay: 1 };
    await using subject = await ResourceProcess.start({ work, options }, () => proxy.cutAll());

    await subject.run(warmUp);
    const serverBefore = await serverBecomes(added(idle, standing));
    const { resources: before } = await subject.measure();
    await subject.run(cycles);
    const serverAfter = await serverBecomes(serverBefore);
    const { resources: after } = await subject.measure();
    const table = comparison({ ...before, ...serverBefore }, { ...after, ...serverAfter });
    task.meta.resources = `${cycles.toLocaleString('en')} ${work}: ${table}`;
    expectNoGrowth(before, after, cycles);
    await afterwards?.();

    const { resources, counts } = await subject.close();
    expect(resources).toMatchObject({ sockets: 0, pendingTimers: 0, abortListeners: 0 });
    await serverBecomes(idle);
    return counts;
  }

  /** With no connection but the one that asks: those of earlier questions may still be closing. */
  function idleServer(): Promise<ServerResources> {
    return eventually(async () => {
      const resources = await serverResources(server);
      return resources.connections === 1 && resources;
    });
  }

  /** How many children a node has had. */
  async function created(path: string): Promise<number> {
    await using observer = await RawSession.connect(server);
    const { cversion, numChildren } = (await observer.exists(path))!;
    // Creates and deletes.
    return (cversion + numChildren) / 2;
  }

  /** Deletes, and the lock paths that the server removes by itself, may still be on their way. */
  async function serverBecomes(expected: ServerResources): Promise<ServerResources> {
    await eventually(async () => expect(await serverResources(server)).toEqual(expected));
    return expected;
  }
});

function added(idle: ServerResources, more: ServerResources): ServerResources {
  return {
    watches: idle.watches + more.watches,
    znodes: idle.znodes + more.znodes,
    ephemerals: idle.ephemerals + more.ephemerals,
    connections: idle.connections + more.connections,
  };
}
