import type { Command } from '../../../test/interop/installations.js';
import type { WindowPlan } from '../process/window.js';
import { WorkerProcess, type WorkerSettings } from './worker-process.js';

/** The most grants in little time, for subjects of all kinds. */
const BUSY = { keys: 64, waiters: 1, milliseconds: 0 } satisfies Partial<WindowPlan>;
/** For a JVM on a slow disk. */
const WARM_UP_LIMIT_MS = 180_000;

export interface WarmUp {
  /** Of each worker. */
  readonly grants: number;
  /** For its log. */
  readonly file: string;
}

/** The worker processes of a subject. They stay for all workloads, so that a JVM is warm. */
export class WorkerPool implements AsyncDisposable {
  #workers: WorkerProcess[] = [];

  constructor(
    private readonly command: Command,
    private readonly settings: WorkerSettings,
    private readonly warmUp: WarmUp,
  ) {}

  /** The first `count` workers; starts those that do not run yet, and lets them compile their code. */
  async take(count: number): Promise<readonly WorkerProcess[]> {
    const running = this.#workers.length;
    const missing = Array.from({ length: Math.max(0, count - running) }, (_, i) => running + i);
    const started = await Promise.all(missing.map((number) => this.#start(number)));
    this.#workers.push(...started);
    // One after another: together, they would wait for each other.
    for (const worker of started) await this.#warmUp(worker);
    return this.#workers.slice(0, count);
  }

  /** A worker of its own, which the caller kills. */
  startAnother(settings: Partial<WorkerSettings>): Promise<WorkerProcess> {
    return WorkerProcess.start(this.command, { ...this.settings, ...settings });
  }

  /** Kills the workers. The next workload starts others. */
  async [Symbol.asyncDispose](): Promise<void> {
    const workers = this.#workers;
    this.#workers = [];
    await Promise.all(workers.map((worker) => worker[Symbol.asyncDispose]()));
  }

  #start(number: number): Promise<WorkerProcess> {
    const address = serversOf(this.settings.address, number);
    return WorkerProcess.start(this.command, { ...this.settings, address });
  }

  /** Counted in grants, as compilers count: in a given time, a slow subject would have few. */
  async #warmUp(worker: WorkerProcess): Promise<void> {
    const { grants, file } = this.warmUp;
    const turns = Math.ceil(grants / BUSY.keys);
    if (turns === 0) return;
    await worker.prepare({ ...BUSY, turns }, file);
    await worker.go(WARM_UP_LIMIT_MS);
  }
}

/**
 * One server of each ensemble, the same one for the workers with that number of all subjects: who has the leader by chance
 * would be faster in all rounds.
 */
function serversOf(address: string, worker: number): string {
  const oneOf = (servers: readonly string[]): string => servers[worker % servers.length]!;
  return address
    .split(';')
    .map((ensemble) => oneOf(ensemble.split(',')))
    .join(';');
}
