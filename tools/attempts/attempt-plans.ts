import * as fc from 'fast-check';
import type { LockFailure, LockMode } from '../../lib/index.js';
import type { Verb } from '../history/process-event.js';
import { isAround, SIMPLE, type AttemptPlan, type ExtensionPlan, type OwnedBy } from './attempt-plan.js';
import { between, nestedPlan, rarely, VERBS, withoutMode } from './nested-plans.js';
import { isSimpleResource } from './simple-resources.js';
import { weighted } from './weighted.js';

const BATCH = 100;
/** With one of so many seeds, most calls ask for permits. */
const SEMAPHORES_EVERY = 4;

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
      also: weighted<readonly string[]>(
        [5, fc.constant([])],
        [1, fc.shuffledSubarray([...resources], { minLength: 1 })],
      ),
      verb: weighted<Verb>(...VERBS, [1, fc.constant('lead')]),
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
      extension: weighted<ExtensionPlan | undefined>(
        [4, fc.constant(undefined)],
        // Not before `minHold` is over.
        [1, fc.record({ after: between(0, 500), ttl: between(100, 1_500) })],
      ),
      // Only the longest exceed a session timeout, so that their hold can be lost by its deadline.
      hold: weighted(
        [4, between(0, 30)],
        [4, between(50, 300)],
        [2, between(500, 3_000)],
        [1, between(3_000, 7_000)],
      ),
      heedsSignal: fc.boolean(),
      throws: rarely,
      ending: fc.constantFrom('release', 'unlock', 'twice', 'apart', 'dispose'),
      staleAfter: between(0, 3_000),
      maxWaiters: weighted<number | undefined>([6, fc.constant(undefined)], [1, between(0, 8)]),
      whenCallerLeaves: fc.constantFrom(undefined, 'leave', 'stay'),
      reentrant: fc.constantFrom(undefined, true, false),
      locked: fc.record({
        key: fc.constantFrom('text', 'template', 'function'),
        onBusy: fc.constantFrom(undefined, 'throw', 'skip'),
        allowLiteral: fc.constantFrom(undefined, true, false),
      }),
      nested: nestedPlan(2, resources),
      failure: weighted<LockFailure | undefined>([5, fc.constant(undefined)], [1, fc.constant('closed')]),
      ownedBy: fc.constantFrom<(OwnedBy | undefined)[]>(undefined, 'process', 'application'),
      works: fc.boolean(),
    })
    .map((plan) => ({ ...plan, nested: isAround(plan.verb) ? plan.nested : undefined }))
    .map((plan) =>
      plan.mode === 'semaphore' && plan.nested !== undefined
        ? { ...plan, nested: withoutMode(plan.nested) }
        : plan,
    )
    .map((plan) => (plan.verb === 'tryLock' && plan.wait === Infinity ? { ...plan, wait: 0 } : plan))
    .map((plan) => {
      const permitsOf = (resource: string): number | undefined =>
        plan.mode === 'semaphore' ? 2 + (resources.indexOf(resource) % 2) : undefined;
      const permits = permitsOf(plan.resource);
      const isSimple = isSimpleResource(plan.resource);
      // One number of permits, and one kind of lock, is for all locks of a call.
      const also = plan.also.filter(
        (other) =>
          other !== plan.resource && permitsOf(other) === permits && isSimpleResource(other) === isSimple,
      );
      return { ...plan, permits, ...several(also, plan.verb) };
    })
    .map((plan) => (isSimpleResource(plan.resource) ? simplePlan(plan) : plan))
    .map((plan) => ({ ...plan, ...failureOf(plan) }))
    .map((plan) => (plan.verb === 'lead' ? candidatePlan(plan) : { ...plan, works: undefined }));
}

/** Leaders stand in a queue. */
function simplePlan(plan: AttemptPlan): AttemptPlan {
  return { ...plan, ...SIMPLE, verb: plan.verb === 'lead' ? 'lock' : plan.verb };
}

function failureOf({ failure, ownedBy, ...plan }: AttemptPlan): Pick<AttemptPlan, 'failure' | 'ownedBy'> {
  const isClosed = failure === 'closed' && canFailClosed(plan);
  return { failure: isClosed ? failure : undefined, ownedBy: isClosed ? ownedBy : undefined };
}

export function canFailClosed({ mode, fair }: Pick<AttemptPlan, 'mode' | 'fair'>): boolean {
  return mode !== 'read' && mode !== 'semaphore' && fair !== false;
}

/** The other options are those of calls. */
function candidatePlan(plan: AttemptPlan): AttemptPlan {
  const { pause, resource, verb, wait, namedBy, hold, heedsSignal, ending, staleAfter, works } = plan;
  return { pause, resource, verb, wait, namedBy, hold, heedsSignal, ending, staleAfter, works };
}

/** A locked method has no handle of several locks, which the work could observe. */
function several(also: readonly string[], verb: Verb): Pick<AttemptPlan, 'also' | 'verb'> {
  if (also.length === 0) return { also: undefined, verb };
  return { also, verb: verb === '@Locked' ? 'withLock' : verb };
}

/** Close to the given one. */
export function seedOfSemaphores(seed: number): number {
  return seed - (seed % SEMAPHORES_EVERY);
}

/** An endless sequence of plans, determined by the seed. */
export function* attemptPlans(resources: readonly string[], seed: number): Generator<AttemptPlan> {
  const plan = fc.noBias(attemptPlan(resources, seed % SEMAPHORES_EVERY === 0 ? SEMAPHORES : MIXED));
  for (let batch = 0; ; batch += 1) yield* fc.sample(plan, { seed: seed + batch, numRuns: BATCH });
}
