import type { AttemptContext } from './attempt-context.interface.js';
import type { AttemptPlan } from './attempt-plan.js';
import { AttemptRun } from './attempt-run.js';
import { CandidateRun } from './candidate-run.js';

/** Runs an attempt, or a candidate where there are leaders. Resolves when it is over, its last write included. */
export function runAttempt(name: string, plan: AttemptPlan, context: AttemptContext): Promise<void> {
  const { lead, campaign } = context.locks;
  const add = plan.works === true ? campaign : lead;
  if (plan.verb !== 'lead') return new AttemptRun(name, plan, context).run();
  if (add === undefined) return new AttemptRun(name, { ...plan, verb: 'lock' }, context).run();
  return new CandidateRun(name, plan, context, add).run();
}
