import {
  createLockService,
  type LockEvent,
  type LockModuleOptions,
  type LockService,
} from '../../lib/index.js';
import { FaultProxy } from '../support/fault-proxy.js';
import { ifThere } from '../support/if-there.js';
import { RawSession } from '../support/raw-session.js';
import type { TestServer } from '../support/test-server.js';

let roots = 0;

/** A lock service behind a fault proxy, one in front of the same server without, and an observer that needs neither. */
export class ProxiedLocks implements AsyncDisposable {
  readonly events: LockEvent[] = [];

  private constructor(
    readonly proxy: FaultProxy,
    /** Its connection goes through the proxy. */
    readonly locks: LockService,
    /** Another process, as far as ZooKeeper can tell. */
    readonly others: LockService,
    readonly observer: RawSession,
    readonly root: string,
  ) {
    locks.events$.subscribe((event) => this.events.push(event));
  }

  static async start(server: TestServer, options: LockModuleOptions = {}): Promise<ProxiedLocks> {
    const root = `/faults-${(roots += 1)}`;
    const proxy = await FaultProxy.start(server);
    const common = { root, sessionTimeout: 4_000, drainTimeout: 0, ...options };
    const [locks, others, observer] = await Promise.all([
      createLockService({ ...common, connectString: proxy.connectString }),
      createLockService({ ...common, connectString: server.connectString }),
      RawSession.connect(server),
    ]);
    return new ProxiedLocks(proxy, locks, others, observer, root);
  }

  path(resource: string): string {
    return `${this.root}/${resource}`;
  }

  async contenders(resource: string): Promise<string[]> {
    return (await ifThere(this.observer.getChildren(this.path(resource)))) ?? [];
  }

  count(type: LockEvent['type']): number {
    return this.events.filter((event) => event.type === type).length;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.proxy.heal();
    await Promise.all([this.locks, this.others].map((locks) => locks.onApplicationShutdown()));
    this.observer.destroy();
    await this.proxy.stop();
  }
}
