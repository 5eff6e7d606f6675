import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { ensembleOf } from '../../lib/zookeeper/spread/ensemble-of.js';

/** Computed with another implementation. Never change it: replicas of all versions must agree. */
test.for([
  ['order:1', [0, 1, 1, 1, 1, 5]],
  ['order:2', [0, 1, 1, 1, 1, 1]],
  ['order:42', [0, 0, 0, 0, 0, 0]],
  ['nightly-report', [0, 0, 0, 0, 0, 0]],
  ['a/b', [0, 0, 0, 0, 0, 7]],
  ['100%', [0, 1, 2, 3, 3, 3]],
  ['.', [0, 1, 1, 3, 3, 3]],
  ['東京', [0, 1, 1, 1, 1, 6]],
  ['\u{1f512}', [0, 0, 2, 3, 3, 3]],
  ['x'.repeat(1_024), [0, 1, 1, 3, 3, 3]],
] as const)('%s is on the specified ensemble of 1, 2, 3, 4, 5 and 8', ([resource, expected]) => {
  expect([1, 2, 3, 4, 5, 8].map((of) => ensembleOf(resource, of))).toEqual(expected);
});

const resource = fc.string({ minLength: 1, unit: 'grapheme' });
const names = Array.from({ length: 6_000 }, (_, n) => `order:${n}`);

test('every resource is on one of the ensembles, and always on the same one', () => {
  fc.assert(
    fc.property(resource, fc.integer({ min: 1, max: 20 }), (name, of) => {
      const ensemble = ensembleOf(name, of);
      expect(ensemble).toBeGreaterThanOrEqual(0);
      expect(ensemble).toBeLessThan(of);
      expect(ensembleOf(name, of)).toBe(ensemble);
    }),
  );
});

test('an ensemble that is appended takes resources, and none moves between the others', () => {
  fc.assert(
    fc.property(resource, fc.integer({ min: 1, max: 20 }), (name, of) => {
      expect([ensembleOf(name, of), of]).toContain(ensembleOf(name, of + 1));
    }),
  );
});

describe.for([2, 3, 5])('of %d ensembles', (of) => {
  test('each has its share of the resources', () => {
    const counts = Array.from({ length: of }, () => 0);
    for (const name of names) counts[ensembleOf(name, of)]! += 1;
    for (const count of counts) {
      expect(count).toBeGreaterThan((names.length / of) * 0.9);
      expect(count).toBeLessThan((names.length / of) * 1.1);
    }
  });

  test('the last one has taken its share from the others', () => {
    const moved = names.filter((name) => ensembleOf(name, of) !== ensembleOf(name, of - 1));
    expect(moved.length).toBeGreaterThan((names.length / of) * 0.9);
    expect(moved.length).toBeLessThan((names.length / of) * 1.1);
  });
});
