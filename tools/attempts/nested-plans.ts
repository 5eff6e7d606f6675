import * as fc from 'fast-check';
import type { LockMode } from '../../lib/index.js';
import type { Verb } from '../history/process-event.js';
import type { NestedPlan } from './attempt-plan.js';
import { weighted } from './weighted.js';

export const between = (min: number, max: number): fc.Arbitrary<number> => fc.integer({ min, max });

/** Absent: no. */
export const rarely: fc.Arbitrary<boolean | undefined> = weighted<boolean | undefined>(
  [7, fc.constant(undefined)],
  [1, fc.constant(true)],
);

export const VERBS: readonly [weight: number, verb: fc.Arbitrary<Verb>][] = [
  [4, fc.constant('lock')],
  [2, fc.constant('tryLock')],
  [3, fc.constant('withLock')],
  [3, fc.constant('@Locked')],
];

/** Up to as many calls, each in the work of the one before. */
export function nestedPlan(levels: number): fc.Arbitrary<NestedPlan | undefined> {
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
    minHold: weighted<number | undefined>([3, fc.constant(undefined)], [1, between(0, 500)]),
    mode: weighted<LockMode | undefined>([3, fc.constant(undefined)], [1, fc.constant('read')]),
    hold: weighted([6, between(0, 20)], [2, between(50, 300)], [1, between(500, 2_500)]),
    heedsSignal: fc.boolean(),
    throws: rarely,
    ending: fc.constantFrom('release', 'unlock', 'twice', 'dispose'),
    outlives: fc.boolean(),
    nested: nestedPlan(levels - 1),
  });
  return weighted<NestedPlan | undefined>([5, fc.constant(undefined)], [1, plan]);
}

/** A permit allows for nothing else. */
export function withoutMode({ mode: _mode, nested, ...plan }: NestedPlan): NestedPlan {
  return { ...plan, ...(nested === undefined ? {} : { nested: withoutMode(nested) }) };
}
