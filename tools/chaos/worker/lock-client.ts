import { setTimeout as sleep } from 'node:timers/promises';
import type { AttemptPlan } from '../schedule/attempt-plan.js';
import { AttemptRun, type AttemptContext } from './attempt-run.js';

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
      await sleep(plan.pause, undefined, { signal: finish }).catch(() => {});
      if (finish.aborted) return;
      await new AttemptRun(this.nextName(), plan, this.context).run();
    }
  }
}
