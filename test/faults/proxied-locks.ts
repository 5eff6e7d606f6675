import {
  createLockService,
  type LockEvent,
  type LockModuleOptions,
  type LockService,
} from '../../lib/index.js';
import { allOrNone } from '../support/all-or-none.js';
import { eventually } from '../support/eventually.js';
import { FaultProxy } from '../support/fault-proxy.js';
import { ifThere } from '../support/if-there.js';
import { RawSession } from '../support/raw-session.js';
import type { TestServer } from '../support/test-server.js';

/**
 * Long enough that a stall of the machine or a server ends no connection and no session. It is the longest timeout that
 * servers grant by default; a test that needs another one sets it.
 */
const SESSION_TIMEOUT_MS = 40_000;

let roots = 0;

/** A lock service behind a fault proxy, another one connected directly to the same server, and an observer that uses neither. */
export class ProxiedLocks implements AsyncDisposable {
  readonly events: LockEvent[] = [];

  private constructor(
    readonly proxy: FaultProxy,
    /** Its connection goes through the proxy. */
    readonly locks: LockService,
    /** Other processes, as far as ZooKeeper can tell: each caller has a node of its own. */
    readonly others: LockService,
    readonly observer: RawSession,
    readonly root: string,
  ) {
    locks.events$.subscribe((event) => this.events.push(event));
  }

  /** @param options of the service behind the proxy; the other one keeps the default session timeout */
  static async start(
    server: Pick<TestServer, 'host' | 'port' | 'connectString'>,
    options: LockModuleOptions = {},
  ): Promise<ProxiedLocks> {
    const root = `/faults-${(roots += 1)}`;
    const proxy = await FaultProxy.start(server);
    const { sessionTimeout = SESSION_TIMEOUT_MS, linger, ...rest } = options;
    const common = { root, drainTimeout: 0, ...rest };
    const lingering = linger === undefined ? {} : { linger };
    const [locks, others, observer] = await allOrNone<[LockService, LockService, RawSession]>([
      createLockService({ ...common, ...lingering, sessionTimeout, connectString: proxy.connectString }),
      createLockService({
        ...common,
        sessionTimeout: SESSION_TIMEOUT_MS,
        localQueue: false,
        connectString: server.connectString,
      }),
      RawSession.connect(server, { keepAlive: true }),
    ]).catch(async (error: unknown) => {
      await proxy.stop();
      throw error;
    });
    return new ProxiedLocks(proxy, locks, others, observer, root);
  }

  path(resource: string): string {
    return `${this.root}/${resource}`;
  }

  async contenders(resource: string): Promise<string[]> {
    return (await ifThere(this.observer.getChildren(this.path(resource)))) ?? [];
  }

  /** Waits until so many contenders are in the queue. */
  async hasContenders(resource: string, count: number): Promise<void> {
    await eventually(async () => (await this.contenders(resource)).length === count);
  }

  count(type: LockEvent['type']): number {
    return this.events.filter((event) => event.type === type).length;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.proxy.heal();
    await Promise.all([this.locks, this.others].map((locks) => locks.close()));
    this.observer.destroy();
    await this.proxy.stop();
  }
}
