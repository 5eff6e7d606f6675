import { expect, test } from 'vitest';
import { SUBJECTS } from '../subjects.js';
import { figure, ratio, type Result } from './result.js';

function result(...speeds: number[]): Result {
  const samples = speeds.map((speed) => ({ speed, violations: 0 }));
  return { subject: SUBJECTS[0]!, samples, violations: 0 };
}

test.each([
  ['all rounds', result(2, 9, 4), result(1, 3, 4), { median: 2, min: 1, max: 3 }],
  ['the rounds that both have finished', result(2), result(1, 3), { median: 2, min: 2, max: 2 }],
  ['a subject without a result', result(), result(1), undefined],
  ['no reference', result(1), undefined, undefined],
])('compares the speeds of %s', (_, subject, reference, expected) => {
  expect(ratio(subject, reference)).toEqual(expected);
});

test('a metric that was not measured has no figure', () => {
  expect(figure(result(1, 2), 'speed')).toEqual({ median: 1.5, min: 1, max: 2 });
  expect(figure(result(1, 2), 'jain')).toBeUndefined();
});
