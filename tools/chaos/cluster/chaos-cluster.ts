import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ZooKeeperEnsemble } from '../../../test/support/zookeeper-ensemble.js';
import type { Schedule } from '../schedule/schedule.js';
import type { LockName } from '../worker/worker-protocol.js';
import { LAST_NAME, PARENT } from '../worker/module-options.js';
import { GuardedResource } from './guarded-resource.js';
import { Seat } from './process-slot.js';
import { ServerWatch } from './server-watch.js';

/** All locks of a run are below it. */
export const ROOT = `${PARENT}/${LAST_NAME}`;
/** How often the servers remove empty lock paths, ms. */
export const REAP_INTERVAL_MS = 1_000;
const CLIENTS_PER_PROCESS = 3;
/** Ticks a stalled follower may lag: the longest stall must not make the ensemble throw it out. */
const SYNC_LIMIT = 20;

/** Everything that plays a part in a run: servers, the guarded resource, and the processes with their proxies. */
export class ChaosStage implements AsyncDisposable {
  readonly #seats: Seat[] = [];
  #ensemble!: ZooKeeperEnsemble;
  #guard: GuardedResource | undefined;
  #watch: ServerWatch | undefined;

  private constructor(private readonly directory: string) {}

  /** Starts the servers and the guarded resource; if something fails, what has been started is ended again. */
  static async open(schedule: Schedule, lock: LockName): Promise<ChaosStage> {
    const stage = new ChaosStage(await mkdtemp(join(tmpdir(), 'chaos-')));
    try {
      await stage.#open(schedule, lock);
      return stage;
    } catch (error) {
      await stage.stop();
      throw error;
    }
  }

  get ensemble(): ZooKeeperEnsemble {
    return this.#ensemble;
  }

  get seats(): readonly Seat[] {
    return this.#seats;
  }

  get guard(): GuardedResource {
    return this.#guard!;
  }

  get watch(): ServerWatch {
    return this.#watch!;
  }

  /** Resolves when all processes have started, and lock. */
  async begin(): Promise<void> {
    await Promise.all(this.#seats.map((seat) => seat.open()));
  }

  async stop(): Promise<void> {
    this.#watch?.stop();
    await Promise.all([
      ...this.#seats.map((seat) => seat.stop()),
      this.#guard?.stop(),
      (this.#ensemble as ZooKeeperEnsemble | undefined)?.stop(),
    ]);
    await rm(this.directory, { recursive: true, force: true });
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.stop();
  }

  async #open({ options, setting }: Schedule, lock: LockName): Promise<void> {
    this.#ensemble = await ZooKeeperEnsemble.start({
      servers: options.servers,
      tickTime: setting.tickTime,
      stallableLinks: options.servers > 1,
      syncLimit: SYNC_LIMIT,
      containerCheckIntervalMs: REAP_INTERVAL_MS,
    });
    this.#guard = await GuardedResource.open(this.directory);
    this.#watch = new ServerWatch(this.#ensemble.servers);
    for (const [index, process] of setting.processes.entries()) {
      const worker = {
        ...process,
        lock,
        guardPort: this.#guard.port,
        root: ROOT,
        resources: options.resources,
        clients: CLIENTS_PER_PROCESS * (options.crowd ?? 1),
      };
      const { servers } = this.#ensemble;
      this.#seats.push(new Seat({ process: index + 1, servers, directory: this.directory, worker }));
    }
  }
}
