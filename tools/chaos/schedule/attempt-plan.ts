import * as fc from 'fast-check';
import type { Verb } from '../history/process-event.js';
import { weighted } from './weighted.js';

/** What chance decides about one attempt. Durations are in ms; what is absent is left to the defaults. */
export interface AttemptPlan {
  /** Before the attempt. */
  readonly pause: number;
  readonly resource: string;
  readonly verb: Verb;
  /** `Infinity`: no limit. */
  readonly wait?: number;
  readonly ttl?: number;
  readonly minHold?: number;
  /** Absent: any number. */
  readonly maxWaiters?: number;
  /** No caller is known here: neither may change anything. */
  readonly whenCallerLeaves?: 'leave' | 'stay';
  /** Which option has the name of the attempt, by which the events tell it. */
  readonly namedBy: 'owner' | 'purpose' | 'both';
  readonly mode?: 'exclusive';
  /** When the caller loses patience, since the call. */
  readonly abortAfter?: number;
  /** How long the work takes. */
  readonly hold: number;
  /** Whether the work stops when its lock is lost. */
  readonly heedsSignal: boolean;
  /** `twice`: by `release` and by `unlock` at once. */
  readonly ending: 'release' | 'unlock' | 'twice' | 'dispose';
  /** When a write that was meant for the hold arrives, since the end of a hold that was lost. */
  readonly staleAfter: number;
  readonly locked: LockedPlan;
}

/** What only `@Locked` knows. */
export interface LockedPlan {
  /** The resource as a text, as a template over the arguments, or as a function of them. */
  readonly key: 'text' | 'template' | 'function';
  readonly onBusy?: 'throw' | 'skip';
  readonly allowLiteral?: boolean;
}

const BATCH = 100;

const between = (min: number, max: number): fc.Arbitrary<number> => fc.integer({ min, max });

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
        [4, fc.constant('lock')],
        [2, fc.constant('tryLock')],
        [3, fc.constant('withLock')],
        [3, fc.constant('@Locked')],
      ),
      wait: weighted<number | undefined>(
        [2, fc.constant(0)],
        [2, between(20, 500)],
        [3, between(1_500, 6_000)],
        [2, fc.constant(Infinity)],
        [2, fc.constant(undefined)],
      ),
      ttl: weighted<number | undefined>(
        [2, fc.constant(0)],
        [2, between(20, 250)],
        [1, between(300, 1_500)],
        [2, fc.constant(undefined)],
      ),
      minHold: weighted<number | undefined>([4, fc.constant(undefined)], [1, between(0, 100)]),
      namedBy: fc.constantFrom('owner', 'purpose', 'both'),
      mode: fc.constantFrom(undefined, 'exclusive'),
      abortAfter: weighted<number | undefined>([4, fc.constant(undefined)], [1, between(0, 2_000)]),
      // The longest outlast a session timeout: only they are lost to the deadline.
      hold: weighted(
        [4, between(0, 30)],
        [4, between(50, 300)],
        [2, between(500, 3_000)],
        [1, between(3_000, 7_000)],
      ),
      heedsSignal: fc.boolean(),
      ending: fc.constantFrom('release', 'unlock', 'twice', 'dispose'),
      staleAfter: between(0, 3_000),
      maxWaiters: weighted<number | undefined>([6, fc.constant(undefined)], [1, between(0, 8)]),
      whenCallerLeaves: fc.constantFrom(undefined, 'leave', 'stay'),
      locked: fc.record({
        key: fc.constantFrom('text', 'template', 'function'),
        onBusy: fc.constantFrom(undefined, 'throw', 'skip'),
        allowLiteral: fc.constantFrom(undefined, true, false),
      }),
    })
    .map((plan) => (plan.verb === 'tryLock' && plan.wait === Infinity ? { ...plan, wait: 0 } : plan));
}

/** Plans without end, the same for the same seed. */
export function* attemptPlans(resources: readonly string[], seed: number): Generator<AttemptPlan> {
  const plan = fc.noBias(attemptPlan(resources));
  for (let batch = 0; ; batch += 1) yield* fc.sample(plan, { seed: seed + batch, numRuns: BATCH });
}
