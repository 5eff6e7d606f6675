import { expect, type TestContext } from 'vitest';
import { eventually } from '../support/eventually.js';
import { FaultProxy } from '../support/fault-proxy.js';
import { RawSession } from '../support/raw-session.js';
import { serverResources, type ServerResources } from '../support/server-resources.js';
import { ZooKeeperServer } from '../support/zookeeper-server.js';
import { comparison, expectNoMoreHeap, expectNoMoreObjects } from './comparison.js';
import type { Measurement } from './resource-protocol.js';
import { ResourceProcess } from './resource-process.js';
import type { WorkName } from './work.interface.js';

/** Long enough that no connection times out because the machine is busy. */
const SESSION_TIMEOUT_MS = 600_000;

export interface Cycles {
  /** Cycles before the first measurement, in which code, pools and lists reach their size. */
  readonly warmUp: number;
  /** Cycles between the first measurement and the second. */
  readonly cycles: number;
  /** Whether the bytes in use are compared too. They are only meaningful after a long warm-up. */
  readonly judgeHeap?: boolean;
}

/** A server, and processes whose resources are measured while they work on it. */
export class ResourceCourse implements AsyncDisposable {
  private constructor(
    private readonly server: ZooKeeperServer,
    private readonly proxy: FaultProxy,
  ) {}

  static async start(): Promise<ResourceCourse> {
    const server = await ZooKeeperServer.start({
      containerCheckIntervalMs: 200,
      maxSessionTimeout: SESSION_TIMEOUT_MS,
    });
    return new ResourceCourse(server, await FaultProxy.start(server));
  }

  /** Cycles in two sessions in which eight loops contend for each resource. */
  async contendedCycles(task: TestContext['task'], course: Cycles): Promise<void> {
    const standing = { watches: 0, znodes: 0, ephemerals: 0, connections: 2 };
    const counts = await this.#follow(task, 'contendedCycles', course, standing);

    expect(counts['cycles']).toBe(course.warmUp + course.cycles);
    expect(counts['waits']).toBeGreaterThan(course.cycles / 2);
    expect(counts['largestQueue']).toBeGreaterThan(2);
  }

  /** Waits that are aborted, half of them in the queue and half before their create is answered. */
  async abortedWaits(task: TestContext['task'], course: Cycles): Promise<void> {
    // The contender of the holder, below root and lock path, and its watch.
    const standing = { watches: 1, znodes: 3, ephemerals: 1, connections: 2 };
    const waits = course.warmUp + course.cycles;
    const counts = await this.#follow(task, 'abortedWaits', course, standing, async () =>
      expect(await this.#created('/locks/order')).toBe(1 + waits),
    );

    const half = waits / 2;
    expect(counts).toEqual({ queued: half, abortedInQueue: half, abortedOnTheWay: half, listeners: 0 });
  }

  /** Connections that end while the hold and the waiter that used them continue. */
  async reconnects(task: TestContext['task'], course: Cycles): Promise<void> {
    // Holder and waiter watch the same node, in the same session, and the waiter its own.
    const standing = { watches: 2, znodes: 4, ephemerals: 2, connections: 1 };
    const counts = await this.#follow(task, 'reconnects', course, standing);

    expect(counts).toEqual({ reconnects: course.warmUp + course.cycles, grantsOfTheWaiter: 1 });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.proxy.stop();
    await this.server.stop();
  }

  /**
   * Measures before and after the cycles, and after the work has closed; resolves with the counts of the work.
   * @param standing what the server keeps for the work between the cycles
   * @param beforeClose checks what the cycles did
   */
  async #follow(
    task: TestContext['task'],
    work: WorkName,
    { warmUp, cycles, judgeHeap = false }: Cycles,
    standing: ServerResources,
    beforeClose: () => Promise<void> = async () => {},
  ): Promise<Measurement['counts']> {
    const idle = await this.#idleServer();
    const { connectString } = work === 'reconnects' ? this.proxy : this.server;
    const options = { connectString, sessionTimeout: SESSION_TIMEOUT_MS, retryDelay: 1 };
    await using subject = await ResourceProcess.start({ work, options }, () => this.proxy.cutAll());

    await subject.run(warmUp);
    const serverBefore = await this.#serverBecomes(added(idle, standing));
    const { resources: before } = await subject.measure();
    await subject.run(cycles);
    const serverAfter = await this.#serverBecomes(serverBefore);
    const { resources: after } = await subject.measure();
    const table = comparison({ ...before, ...serverBefore }, { ...after, ...serverAfter });
    task.meta.resources = `${cycles.toLocaleString('en')} ${work}: ${table}`;
    expectNoMoreObjects(before, after, cycles);
    if (judgeHeap) expectNoMoreHeap(before, after);
    await beforeClose();

    const { resources, counts } = await subject.close();
    expect(resources).toMatchObject({ sockets: 0, pendingTimers: 0, abortListeners: 0 });
    await this.#serverBecomes(idle);
    return counts;
  }

  /** Waits until only the connection of this request is open: those of earlier requests may still be closing. */
  #idleServer(): Promise<ServerResources> {
    return eventually(async () => {
      const resources = await serverResources(this.server);
      return resources.connections === 1 && resources;
    });
  }

  /** The number of children that were ever created below a node. */
  async #created(path: string): Promise<number> {
    await using observer = await RawSession.connect(this.server);
    const { cversion, numChildren } = (await observer.exists(path))!;
    // The cversion counts creates and deletes.
    return (cversion + numChildren) / 2;
  }

  /** Retries, because deletes by clients and by the server may still be in progress. */
  async #serverBecomes(expected: ServerResources): Promise<ServerResources> {
    await eventually(async () => expect(await serverResources(this.server)).toEqual(expected));
    return expected;
  }
}

function added(idle: ServerResources, more: ServerResources): ServerResources {
  return {
    watches: idle.watches + more.watches,
    znodes: idle.znodes + more.znodes,
    ephemerals: idle.ephemerals + more.ephemerals,
    connections: idle.connections + more.connections,
  };
}
