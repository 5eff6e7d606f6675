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

/**
 * Up to as many calls, each in the work of the one before, and some of them for another one of these locks.
 *
 * @param without how often there is none for each time that there is one
 */
export function nestedPlan(
  levels: number,
  resources: readonly string[],
  without = 5,
): fc.Arbitrary<NestedPlan | undefined> {
  if (levels === 0) return fc.constant(undefined);
  const plan = fc.record({
    resource: weighted<string | undefined>([2, fc.constant(undefined)], [1, fc.constantFrom(...resources)]),
    verb: weighted(...VERBS),
    // Once the outer hold is lost, it is a call like any other. Two that wait in each other's locks have to give up.
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
    ending: fc.constantFrom('release', 'unlock', 'twice', 'apart', 'dispose'),
    outlives: fc.boolean(),
    // Often, so that calls in the work for another lock ask for the outer one again.
    nested: nestedPlan(levels - 1, resources, 1),
  });
  return weighted<NestedPlan | undefined>([without, fc.constant(undefined)], [1, plan]);
}

/** A permit allows for nothing else. */
export function withoutMode({ mode: _mode, nested, ...plan }: NestedPlan): NestedPlan {
  return { ...plan, ...(nested === undefined ? {} : { nested: withoutMode(nested) }) };
}
