import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ZooKeeperEnsemble } from '../../../test/support/zookeeper-ensemble.js';
import type { Schedule } from '../schedule/schedule.js';
import type { LockName } from '../worker/worker-protocol.js';
import { LAST_NAME, PARENT } from '../worker/module-options.js';
import { GuardedResource } from './guarded-resource.js';
import { ProcessSlot } from './process-slot.js';
import { ServerWatch } from './server-watch.js';

/** The root of all locks of a run. */
export const ROOT = `${PARENT}/${LAST_NAME}`;
/** How often the servers remove empty lock paths, ms. */
export const REAP_INTERVAL_MS = 1_000;
const CLIENTS_PER_PROCESS = 3;
/** How far a stalled follower may lag, in ticks: the longest stall must not make the leader drop it. */
const SYNC_LIMIT = 20;

/** Everything that a run starts: the servers, the guarded resource, and the processes with their proxies. */
export class ChaosCluster implements AsyncDisposable {
  readonly #slots: ProcessSlot[] = [];
  #ensemble!: ZooKeeperEnsemble;
  #guard: GuardedResource | undefined;
  #watch: ServerWatch | undefined;

  private constructor(private readonly directory: string) {}

  /** Starts the servers and the guarded resource. If that fails, stops those already started. */
  static async open(schedule: Schedule, lock: LockName): Promise<ChaosCluster> {
    const cluster = new ChaosCluster(await mkdtemp(join(tmpdir(), 'chaos-')));
    try {
      await cluster.#open(schedule, lock);
      return cluster;
    } catch (error) {
      await cluster.stop();
      throw error;
    }
  }

  get ensemble(): ZooKeeperEnsemble {
    return this.#ensemble;
  }

  get slots(): readonly ProcessSlot[] {
    return this.#slots;
  }

  get guard(): GuardedResource {
    return this.#guard!;
  }

  get watch(): ServerWatch {
    return this.#watch!;
  }

  /** Starts all processes; resolves when they use locks. */
  async startProcesses(): Promise<void> {
    await Promise.all(this.#slots.map((slot) => slot.open()));
  }

  async stop(): Promise<void> {
    this.#watch?.stop();
    await Promise.all([
      ...this.#slots.map((slot) => slot.stop()),
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
      this.#slots.push(new ProcessSlot({ process: index + 1, servers, directory: this.directory, worker }));
    }
  }
}
