import type { Command } from '../../../test/interop/installations.js';
import { WorkerProcess, type WorkerSettings } from './worker-process.js';

/** The worker processes of a subject. They stay for all workloads, so that a JVM is warm. */
export class WorkerPool implements AsyncDisposable {
  #workers: WorkerProcess[] = [];

  constructor(
    private readonly command: Command,
    private readonly settings: WorkerSettings,
  ) {}

  /** The first `count` workers; starts those that do not run yet. */
  async take(count: number): Promise<readonly WorkerProcess[]> {
    const missing = Math.max(0, count - this.#workers.length);
    const started = Array.from({ length: missing }, () => WorkerProcess.start(this.command, this.settings));
    this.#workers.push(...(await Promise.all(started)));
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
}
