import { check, type Verdict } from '../../checker/verdict.js';
import type { SimulatedRun } from '../run/run-scenario.js';
import { runScenario } from '../run/run-scenario.js';
import type { Scenario } from '../scenario/scenario.js';

/** A scenario that was run, and what came of it. */
export interface Trial {
  readonly scenario: Scenario;
  readonly run: SimulatedRun;
  readonly verdict: Verdict;
  /** Rejections and exceptions that no code has handled, and warnings of Node. */
  readonly unhandled: readonly string[];
}

/** Runs a scenario and checks its history. */
export async function tryScenario(scenario: Scenario): Promise<Trial> {
  const unhandled: string[] = [];
  const record = (error: unknown): void =>
    void unhandled.push(error instanceof Error ? (error.stack ?? error.message) : String(error));
  // What is unhandled throws Node's `uncaughtException`, if only this listens.
  process.on('uncaughtException', record);
  process.on('warning', record);
  try {
    const run = await runScenario(scenario);
    return { scenario, run, verdict: check(run.history), unhandled };
  } finally {
    process.off('uncaughtException', record);
    process.off('warning', record);
  }
}

/** What a trial has violated first: an invariant, or that everything is handled. Undefined if it has violated nothing. */
export function failureOf({ verdict, unhandled }: Trial): string | undefined {
  return unhandled.length > 0 ? 'unhandled' : verdict.violations[0]?.invariant;
}

/** Whether a trial has violated that too, first or not. */
export function hasFailure({ verdict, unhandled }: Trial, failure: string): boolean {
  if (failure === 'unhandled') return unhandled.length > 0;
  return verdict.violations.some(({ invariant }) => invariant === failure);
}
