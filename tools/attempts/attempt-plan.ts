import * as fc from 'fast-check';
import type { LockMode } from '../../lib/index.js';
import type { Verb } from '../history/process-event.js';
import { weighted } from './weighted.js';

/** The random options of one attempt. Durations are in ms; options that are absent have their defaults. */
export interface AttemptPlan {
  /** The pause before the attempt. */
  readonly pause: number;
  readonly resource: string;
  readonly verb: Verb;
  /** `Infinity`: no limit. */
  readonly wait?: number;
  readonly ttl?: number;
  readonly minHold?: number;
  /** Absent: unlimited. */
  readonly maxWaiters?: number;
  /** There is no caller here, so that neither may have an effect. */
  readonly whenCallerLeaves?: 'leave' | 'stay';
  /** The code around an attempt holds no lock, so that it may not have an effect. */
  readonly reentrant?: boolean;
  /** The option that holds the name of the attempt, which events contain. */
  readonly namedBy: 'owner' | 'purpose' | 'both';
  readonly mode?: LockMode;
  /** With `semaphore`. The same for all attempts on the resource. */
  readonly permits?: number;
  /** The caller aborts so long after the call. */
  readonly abortAfter?: number;
  /** The duration of the work. */
  readonly hold: number;
  /** Whether the work stops when the lock is lost. */
  readonly heedsSignal: boolean;
  /** `twice`: by `release` and by `unlock`, concurrently. */
  readonly ending: 'release' | 'unlock' | 'twice' | 'dispose';
  /** A stale write follows so long after the end of the work under a lost hold. */
  readonly staleAfter: number;
  /** Of `@Locked`. */
  readonly locked?: LockedPlan;
}

/** Options that only `@Locked` has. */
export interface LockedPlan {
  /** The resource as a literal, as a template with arguments, or as a function of the arguments. */
  readonly key: 'text' | 'template' | 'function';
  readonly onBusy?: 'throw' | 'skip';
  readonly allowLiteral?: boolean;
}

const BATCH = 100;

const between = (min: number, max: number): fc.Arbitrary<number> => fc.integer({ min, max });

/** How often each mode is drawn. */
type ModeWeights = readonly (readonly [weight: number, mode: LockMode | undefined])[];

const MIXED: ModeWeights = [
  [4, undefined],
  [1, 'exclusive'],
  [3, 'read'],
  [2, 'write'],
  [2, 'semaphore'],
];
/** Permits run out only if few others are in the queue. */
const SEMAPHORES: ModeWeights = [
  [1, undefined],
  [12, 'semaphore'],
];

/** The first resource has the most contention. */
function attemptPlan(resources: readonly string[], modes: ModeWeights): fc.Arbitrary<AttemptPlan> {
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
      mode: weighted<LockMode | undefined>(
        ...modes.map(([weight, mode]): [number, fc.Arbitrary<LockMode | undefined>] => [
          weight,
          fc.constant(mode),
        ]),
      ),
      abortAfter: weighted<number | undefined>([4, fc.constant(undefined)], [1, between(0, 2_000)]),
      // Only the longest exceed a session timeout, so that their hold can be lost by its deadline.
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
      reentrant: fc.constantFrom(undefined, true, false),
      locked: fc.record({
        key: fc.constantFrom('text', 'template', 'function'),
        onBusy: fc.constantFrom(undefined, 'throw', 'skip'),
        allowLiteral: fc.constantFrom(undefined, true, false),
      }),
    })
    .map((plan) => (plan.verb === 'tryLock' && plan.wait === Infinity ? { ...plan, wait: 0 } : plan))
    .map((plan) =>
      plan.mode === 'semaphore' ? { ...plan, permits: 2 + (resources.indexOf(plan.resource) % 2) } : plan,
    );
}

/** An endless sequence of plans, determined by the seed. */
export function* attemptPlans(resources: readonly string[], seed: number): Generator<AttemptPlan> {
  const plan = fc.noBias(attemptPlan(resources, seed % 4 === 0 ? SEMAPHORES : MIXED));
  for (let batch = 0; ; batch += 1) yield* fc.sample(plan, { seed: seed + batch, numRuns: BATCH });
}
