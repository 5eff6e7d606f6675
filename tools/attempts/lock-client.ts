import type { AttemptContext } from './attempt-context.interface.js';
import type { AttemptPlan } from './attempt-plan.js';
import { runAttempt } from './run-attempt.js';
import { sleep } from './sleep.js';

/** One flow of a process: runs its planned attempts, one after another. */
export class LockClient {
  constructor(
    private readonly plans: Iterable<AttemptPlan>,
    private readonly nextName: () => string,
    private readonly context: AttemptContext,
  ) {}

  /** Resolves when `finish` has aborted and the current attempt has ended. */
  async run(finish: AbortSignal): Promise<void> {
    for (const plan of this.plans) {
      await sleep(this.context.clock, plan.pause, finish);
      if (finish.aborted) return;
      await runAttempt(this.nextName(), plan, this.context);
    }
  }
}
