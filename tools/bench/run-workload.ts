import type { Contestant } from './contestant.js';
import { measureKill } from './measure/measure-kill.js';
import { measureWindow } from './measure/measure-window.js';
import type { Result } from './measure/result.js';
import type { Sample } from './measure/sample.js';
import type { Workload } from './workloads.js';

export interface RoundOptions {
  readonly rounds: number;
  readonly milliseconds: number;
  readonly warmUpMs: number;
  /** For the logs of the workers. */
  readonly directory: string;
}

/** Measures all subjects one after another, round by round, so that all of them meet the same noise. */
export async function runWorkload(
  workload: Workload,
  contestants: readonly Contestant[],
  options: RoundOptions,
): Promise<Result[]> {
  const runs = contestants
    .filter(({ subject }) => subject.workloads?.includes(workload.name) ?? true)
    .map((contestant) => new SubjectRun(workload, contestant, options));
  // New processes for each kill: nothing is warm.
  if (workload.kind !== 'kill') for (const run of runs) await run.warmUp();
  for (let round = 0; round < options.rounds; round += 1) {
    for (const run of inAnyOrder(runs)) await run.round();
  }
  return runs.map((run) => run.result);
}

/** A subject must not follow the same one in all rounds, because what ran before leaves the servers warm or idle. */
function inAnyOrder<T>(all: readonly T[]): readonly T[] {
  const order = all.map((item) => ({ item, place: Math.random() }));
  return order.sort((a, b) => a.place - b.place).map(({ item }) => item);
}

/** A subject in a workload. It takes no further part after a failure. */
class SubjectRun {
  readonly #samples: Sample[] = [];
  #violations = 0;
  #failure: string | undefined;

  constructor(
    private readonly workload: Workload,
    private readonly contestant: Contestant,
    private readonly options: RoundOptions,
  ) {}

  get result(): Result {
    const { subject } = this.contestant;
    return { subject, samples: this.#samples, violations: this.#violations, failure: this.#failure };
  }

  /** V8 and a JVM compile what is special in a workload. */
  async warmUp(): Promise<void> {
    await this.#measure(this.options.warmUpMs);
  }

  async round(): Promise<void> {
    if (this.#failure !== undefined) return;
    const sample = await this.#measure(this.options.milliseconds);
    if (sample) this.#samples.push(sample);
  }

  async #measure(milliseconds: number): Promise<Sample | undefined> {
    try {
      const sample = await this.#sample(milliseconds);
      this.#violations += sample.violations;
      return sample;
    } catch (error) {
      this.#failure = error instanceof Error ? error.message : String(error);
      // They may still hold or wait.
      await this.contestant.workers[Symbol.asyncDispose]();
      return undefined;
    }
  }

  async #sample(milliseconds: number): Promise<Sample> {
    const { subject, store, workers, root } = this.contestant;
    if (this.workload.kind === 'kill') return measureKill(workers, `${root}-kill`);
    const { directory } = this.options;
    const { excludes = true } = subject;
    const taken = await workers.take(this.workload.processes);
    return measureWindow(this.workload, taken, store, { milliseconds, directory, excludes });
  }
}
