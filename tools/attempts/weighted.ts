import * as fc from 'fast-check';

/** One of the choices, each with a probability proportional to its weight. */
export function weighted<T>(
  ...choices: readonly [weight: number, arbitrary: fc.Arbitrary<T>][]
): fc.Arbitrary<T> {
  return fc.oneof(...choices.map(([weight, arbitrary]) => ({ weight, arbitrary })));
}
