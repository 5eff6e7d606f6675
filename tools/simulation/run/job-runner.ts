import type { Clock, Timer } from '../../../lib/locking/clock.js';
import { LockService } from '../../../lib/lock.service.js';
import { LockLostError } from '../../../lib/locking/errors/lock-lost.error.js';
import { LockUnavailableError } from '../../../lib/locking/errors/lock-unavailable.error.js';
import type { ScheduledJob } from '../../../lib/locking/schedule/scheduled-job.js';
import type { Tick } from '../../../lib/locking/schedule/tick.interface.js';
import type { Journal } from '../../history/journal.interface.js';
import { sleep } from '../../attempts/sleep.js';
import { JOB_RESOURCE, type JobPlan } from '../scenario/scenario.js';
import type { Random } from '../world/random.js';

export interface JobRunnerContext {
  readonly service: LockService;
  readonly clock: Clock;
  readonly journal: Journal;
  readonly random: Random;
  /** The time of the simulation, ms. */
  readonly now: () => number;
}

class WorkError extends Error {
  constructor(readonly token: bigint) {
    super('The work has failed');
  }
}

interface WorkedRun {
  readonly token: bigint;
  /** ms */
  readonly workedAt: number;
}

/** Calls the job at each of its scheduled times, by the clock of its process, as a cron job does. */
export class JobRunner {
  readonly #job: ScheduledJob;
  /** Calls that have not returned, and their work, which may go on after a lock was lost. */
  readonly #runs = new Set<Promise<unknown>>();
  #timer: Timer | undefined;
  #lastRunAt = -Infinity;

  constructor(
    private readonly plan: JobPlan,
    private readonly context: JobRunnerContext,
  ) {
    const { interrupted } = plan;
    this.#job = context.service.scheduledJob(JOB_RESOURCE, { interrupted, purpose: 'job' });
    this.#wait();
  }

  /** When the work of the last completed run ended, ms. */
  get lastRunAt(): number {
    return this.#lastRunAt;
  }

  get isIdle(): boolean {
    return this.#runs.size === 0;
  }

  /** There are no further calls. */
  stop(): void {
    this.#timer?.cancel();
  }

  /** Resolves when all calls have returned and no work goes on. */
  async ended(): Promise<void> {
    await Promise.allSettled(this.#runs);
  }

  #wait(): void {
    const { clock } = this.context;
    const { interval } = this.plan;
    this.#timer = clock.setTimer(() => this.#call(), interval - (clock.wall() % interval));
  }

  #call(): void {
    const calledAt = this.context.clock.wall();
    const scheduledAt = calledAt - (calledAt % this.plan.interval);
    void this.#tracked(this.#run(scheduledAt, calledAt));
    this.#wait();
  }

  #tracked<T>(run: Promise<T>): Promise<T> {
    this.#runs.add(run);
    return run.finally(() => this.#runs.delete(run));
  }

  async #run(scheduledAt: number, calledAt: number): Promise<void> {
    const { journal } = this.context;
    try {
      const run = await this.#job.run({ scheduledAt, calledAt }, (tick) => this.#tracked(this.#work(tick)));
      if (run === undefined) return;
      journal.write({ what: 'runCompleted', token: run.token });
      this.#lastRunAt = run.workedAt;
    } catch (error) {
      if (error instanceof WorkError) return journal.write({ what: 'runFailed', token: error.token });
      if (error instanceof LockLostError || error instanceof LockUnavailableError) return;
      journal.write({ what: 'unhandled', detail: String(error) });
    }
  }

  async #work({ scheduledAt, previous, signal, fencingToken: token }: Tick): Promise<WorkedRun> {
    const { journal, random, clock } = this.context;
    const { interrupted, work, failing = 0, heedsSignal = false } = this.plan;
    const began = { scheduledAt: scheduledAt.getTime(), previous: previous?.getTime(), interrupted };
    journal.write({ what: 'runBegan', token, ...began });
    const held = LockService.currentOrThrow(JOB_RESOURCE);
    await sleep(clock, random.between(0, work), heedsSignal ? signal : undefined);
    const isLost = heedsSignal && signal.aborted;
    const fails = isLost || (failing > 0 && random.chance(failing));
    journal.writeHeld(
      () => held.isHeld(),
      (isHeld) => ({ what: 'runWorked', token, held: isHeld, ...(fails ? { fails } : {}) }),
    );
    if (fails) throw isLost ? signal.reason : new WorkError(token);
    return { token, workedAt: this.context.now() };
  }
}
