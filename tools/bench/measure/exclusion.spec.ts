import { expect, test } from 'vitest';
import { violations } from './exclusion.js';

type Hold = readonly [key: number, acquired: number, releasing: number];

test.each<[what: string, holds: Hold[], expected: number]>([
  ['no holds', [], 0],
  [
    'holds one after another',
    [
      [0, 1, 2],
      [0, 3, 4],
    ],
    0,
  ],
  [
    'a grant at the moment of the release',
    [
      [0, 1, 2],
      [0, 2, 3],
    ],
    0,
  ],
  [
    'holds of different keys',
    [
      [0, 1, 4],
      [1, 2, 3],
    ],
    0,
  ],
  [
    'two holds that overlap',
    [
      [0, 1, 3],
      [0, 2, 4],
    ],
    1,
  ],
  [
    'the logs of two processes, not in order',
    [
      [0, 5, 7],
      [0, 1, 6],
    ],
    1,
  ],
  [
    'two short holds during a long one',
    [
      [0, 1, 9],
      [0, 2, 3],
      [0, 4, 5],
    ],
    2,
  ],
  [
    'a chain of holds, each of which begins too early',
    [
      [0, 1, 3],
      [0, 2, 5],
      [0, 4, 6],
    ],
    2,
  ],
])('counts %s', (_, holds, expected) => {
  const grants = holds.map(([key, acquired, releasing]) => ({ key, requested: 0, acquired, releasing }));
  expect(violations(grants)).toBe(expected);
});
