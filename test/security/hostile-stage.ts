import { openLockService } from '../../lib/create-lock-service.js';
import type { LockModuleOptions, LockService } from '../../lib/index.js';
import { EventRecorder } from '../fixtures/event-recorder.js';
import { WaitClock } from '../fixtures/wait-clock.js';
import { RawSession, type RawCreateMode } from '../support/raw-session.js';
import { ZooKeeperServer } from '../support/zookeeper-server.js';

const MB = 1024 * 1024;
const ROOT = '/locks';

/** A lock service, and an intruder that may write to its tree, on a server that accepts very large requests. */
export class HostileStage implements AsyncDisposable {
  private constructor(
    readonly server: ZooKeeperServer,
    readonly intruder: RawSession,
    readonly locks: LockService,
    readonly events: EventRecorder,
    readonly clock: WaitClock,
  ) {}

  static async start(options: LockModuleOptions = {}): Promise<HostileStage> {
    const server = await ZooKeeperServer.start({
      jvm: [`-Djute.maxbuffer=${32 * MB}`, '-Xmx512m'],
    });
    const clock = new WaitClock();
    const locks = await openLockService(
      {
        root: ROOT,
        drainTimeout: 0,
        // As long as the server allows: lists of megabytes take time on a busy machine.
        sessionTimeout: 40_000,
        ...options,
      },
      undefined,
      { ensembles: [[server]], clock, opened: () => {} },
    );
    const intruder = await RawSession.connect(server, { sessionTimeout: 40_000, timeoutMs: 40_000 });
    return new HostileStage(server, intruder, locks, new EventRecorder(locks), clock);
  }

  path(resource: string, name?: string): string {
    return `${ROOT}/${resource}${name === undefined ? '' : `/${name}`}`;
  }

  /** Creates a child of the lock path, and the lock path if it is missing. Resolves with the full path of the child. */
  async plant(resource: string, name: string, mode: RawCreateMode, data = Buffer.alloc(0)): Promise<string> {
    if ((await this.intruder.exists(this.path(resource))) === null)
      await this.locks.withLock(resource, () => {});
    return (await this.intruder.create2(this.path(resource, name), mode, data)).path;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.locks.close();
    this.intruder.destroy();
    await this.server.stop();
  }
}
