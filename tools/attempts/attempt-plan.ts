import * as fc from 'fast-check';
import type { LockFailure, LockMode } from '../../lib/index.js';
import type { Verb } from '../history/process-event.js';
import { isSimpleResource } from './simple-resources.js';
import { weighted } from './weighted.js';

/**
 * Whose closed lock an attempt can take over: `process` is the process itself before it was started again, `application` any
 * process of the run, although two live ones should not have the same owner.
 */
export type OwnedBy = 'process' | 'application';

/** The random options of one attempt. Durations are in ms; options that are absent have their defaults. */
export interface AttemptPlan {
  /** The pause before the attempt. */
  readonly pause: number;
  readonly resource: string;
  /** Further resources, whose locks are acquired together with it. Absent: none. */
  readonly also?: readonly string[];
  readonly verb: Verb;
  /** `Infinity`: no limit. Of a candidate: it leaves if it has not led for so long. */
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
  /** The same for all attempts on the resource. */
  readonly fair?: boolean;
  readonly failure?: LockFailure;
  /** Of locks that fail closed: who has the same `owner`. Absent: nobody else. */
  readonly ownedBy?: OwnedBy;
  /** The caller aborts so long after the call. */
  readonly abortAfter?: number;
  /** The duration of the work. Of a candidate: it leaves so long after it has led for the first time. */
  readonly hold: number;
  /** Whether the work stops when the lock is lost. */
  readonly heedsSignal: boolean;
  /** `twice`: by `release` and by `unlock`, concurrently. */
  readonly ending: 'release' | 'unlock' | 'twice' | 'dispose';
  /** A stale write follows so long after the end of the work under a lost hold. */
  readonly staleAfter: number;
  /** Of `@Locked`. */
  readonly locked?: LockedPlan;
  /** Of a candidate: it works as a method with `@Leader` does, and queues again only when its work has ended. */
  readonly works?: boolean;
  /** A re-entrant call for `resource` in the middle of the work, which needs `withLock` or `@Locked`. */
  readonly nested?: NestedPlan;
}

/** A call for a lock that the code around it holds. What is absent here is as in that call, or has its default. */
export interface NestedPlan extends Pick<
  AttemptPlan,
  'verb' | 'wait' | 'ttl' | 'mode' | 'hold' | 'heedsSignal' | 'ending' | 'nested'
> {
  /** Whether the work around it goes on without it, and may end before. */
  readonly outlives: boolean;
}

/** Only exclusive, and without a limit of waiters, which the module may set. */
const SIMPLE = { fair: false, mode: undefined, permits: undefined, maxWaiters: Infinity };

/** The plan of the call that is nested in that of `outer`. */
export function nestedPlanOf(
  { resource, mode, permits, fair, failure, ownedBy, staleAfter, namedBy }: AttemptPlan,
  { outlives: _outlives, ...nested }: NestedPlan,
): AttemptPlan {
  const terms = { ...nested, mode: nested.mode ?? mode, permits, ...(fair === false ? SIMPLE : {}) };
  const closed = failure === undefined ? {} : { failure, ownedBy, mode };
  return { ...terms, ...closed, resource, staleAfter, namedBy, pause: 0, reentrant: true };
}

/** Options that only `@Locked` has. */
export interface LockedPlan {
  /** The resource as a literal, as a template with arguments, or as a function of the arguments. */
  readonly key: 'text' | 'template' | 'function';
  readonly onBusy?: 'throw' | 'skip';
  readonly allowLiteral?: boolean;
}

/** Such a call runs its work itself, as nested calls require. */
export function isAround(verb: Verb): verb is 'withLock' | '@Locked' {
  return verb === 'withLock' || verb === '@Locked';
}

const BATCH = 100;

const between = (min: number, max: number): fc.Arbitrary<number> => fc.integer({ min, max });

const VERBS: readonly [weight: number, verb: fc.Arbitrary<Verb>][] = [
  [4, fc.constant('lock')],
  [2, fc.constant('tryLock')],
  [3, fc.constant('withLock')],
  [3, fc.constant('@Locked')],
];

/** Up to as many calls, each in the work of the one before. */
function nestedPlan(levels: number): fc.Arbitrary<NestedPlan | undefined> {
  if (levels === 0) return fc.constant(undefined);
  const plan = fc.record({
    verb: weighted(...VERBS),
    // Once the outer hold is lost, it is a call like any other.
    wait: weighted([1, fc.constant(0)], [2, between(500, 3_000)]),
    ttl: weighted<number | undefined>(
      [2, fc.constant(undefined)],
      [1, fc.constant(0)],
      [1, between(20, 500)],
    ),
    mode: weighted<LockMode | undefined>([3, fc.constant(undefined)], [1, fc.constant('read')]),
    hold: weighted([6, between(0, 20)], [2, between(50, 300)], [1, between(500, 2_500)]),
    heedsSignal: fc.boolean(),
    ending: fc.constantFrom('release', 'unlock', 'twice', 'dispose'),
    outlives: fc.boolean(),
    nested: nestedPlan(levels - 1),
  });
  return weighted<NestedPlan | undefined>([5, fc.constant(undefined)], [1, plan]);
}

/** A permit allows for nothing else. */
function withoutMode({ mode: _mode, nested, ...plan }: NestedPlan): NestedPlan {
  return { ...plan, ...(nested === undefined ? {} : { nested: withoutMode(nested) }) };
}

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
      nested: nestedPlan(2),
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

/** An endless sequence of plans, determined by the seed. */
export function* attemptPlans(resources: readonly string[], seed: number): Generator<AttemptPlan> {
  const plan = fc.noBias(attemptPlan(resources, seed % 4 === 0 ? SEMAPHORES : MIXED));
  for (let batch = 0; ; batch += 1) yield* fc.sample(plan, { seed: seed + batch, numRuns: BATCH });
}
