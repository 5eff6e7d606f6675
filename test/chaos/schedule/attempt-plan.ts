import * as fc from 'fast-check';
import type { Verb } from '../history/process-event.js';

/** What chance decides about one attempt. Durations are in ms. */
export interface AttemptPlan {
  /** Before the attempt. */
  readonly pause: number;
  readonly resource: string;
  readonly verb: Verb;
  /** `Infinity`: no limit. */
  readonly wait: number;
  readonly ttl: number;
  readonly minHold: number;
  /** When the caller loses patience, since the call. */
  readonly abortAfter: number | undefined;
  /** How long the work takes. */
  readonly hold: number;
  /** Whether the work stops when its lock is lost. */
  readonly heedsSignal: boolean;
  readonly ending: 'release' | 'dispose';
  /** When a write that was meant for the hold arrives, since the end of a hold that was lost. */
  readonly staleAfter: number;
}

const BATCH = 100;

const between = (min: number, max: number): fc.Arbitrary<number> => fc.integer({ min, max });

function weighted<T>(...choices: readonly [weight: number, arbitrary: fc.Arbitrary<T>][]): fc.Arbitrary<T> {
  return fc.oneof(...choices.map(([weight, arbitrary]) => ({ weight, arbitrary })));
}

/** The first resource is the one that most want. */
function attemptPlan(resources: readonly string[]): fc.Arbitrary<AttemptPlan> {
  return fc
    .record({
      pause: between(0, 300),
      resource: weighted(
        ...resources.map((resource, i): [number, fc.Arbitrary<string>] => [
          i === 0 ? 3 : 1,
          fc.constant(resource),
        ]),
      ),
      verb: weighted<Verb>(
        [5, fc.constant('lock')],
        [2, fc.constant('tryLock')],
        [4, fc.constant('withLock')],
      ),
      wait: weighted(
        [2, fc.constant(0)],
        [2, between(20, 500)],
        [3, between(1_500, 6_000)],
        [3, fc.constant(Infinity)],
      ),
      ttl: weighted([3, fc.constant(0)], [2, between(20, 250)], [1, between(300, 1_500)]),
      minHold: weighted([4, fc.constant(0)], [1, between(10, 100)]),
      abortAfter: weighted([4, fc.constant(undefined)], [1, between(0, 2_000)]),
      // The longest outlast a session timeout: only they are lost to the deadline.
      hold: weighted(
        [4, between(0, 30)],
        [4, between(50, 300)],
        [2, between(500, 3_000)],
        [1, between(3_000, 7_000)],
      ),
      heedsSignal: fc.boolean(),
      ending: fc.constantFrom('release', 'dispose'),
      staleAfter: between(0, 3_000),
    })
    .map((plan) => (plan.verb === 'tryLock' && plan.wait === Infinity ? { ...plan, wait: 0 } : plan));
}

/** Plans without end, the same for the same seed. */
export function* attemptPlans(resources: readonly string[], seed: number): Generator<AttemptPlan> {
  const plan = fc.noBias(attemptPlan(resources));
  for (let batch = 0; ; batch += 1) yield* fc.sample(plan, { seed: seed + batch, numRuns: BATCH });
}
