import { expect, test } from 'vitest';
import { systemRandom } from '../../lib/locking/random-source.js';

const draws = <T>(draw: () => T): T[] => Array.from({ length: 100 }, draw);

test('fractions are in [0, 1), and differ', () => {
  const fractions = draws(() => systemRandom.fraction());
  expect(fractions.every((fraction) => fraction >= 0 && fraction < 1)).toBe(true);
  expect(new Set(fractions).size).toBeGreaterThan(90);
});

test('uuids have the form that contender names contain, and differ', () => {
  const uuids = draws(() => systemRandom.uuid());
  for (const uuid of uuids)
    expect(uuid).toMatch(/^[\da-f]{8}-[\da-f]{4}-4[\da-f]{3}-[89ab][\da-f]{3}-[\da-f]{12}$/);
  expect(new Set(uuids).size).toBe(uuids.length);
});
