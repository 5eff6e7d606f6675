import { expect, test } from 'vitest';
import { fault } from '../../checker/violated-invariants.js';
import { at, attempt, tinyHistory } from '../../checker/tiny-history.js';
import { coverageOf, coverageTable, sumOfCoverages, type Coverage } from './coverage.js';

const HISTORY = tinyHistory({
  attempts: [
    attempt('p1.1#1').asked(0).granted(10, 1).released(100),
    attempt('p2.1#1').asked(5).granted(110, 2).released(120),
  ],
  ends: { 'p1.1': { to: at(200), end: 'killed' }, 'p2.1': { to: at(200), end: 'killed' } },
});

function covered(...faults: ReturnType<typeof fault>[]): Coverage {
  return coverageOf({ ...HISTORY, faults });
}

test('counts a fault for the attempts of its process, by what they were doing', () => {
  const faults = [fault('pause', 'p1', 50, 60), fault('pause', 'p2', 2, 3), fault('pause', 'p2', 50, 60)];
  expect(covered(...faults)).toEqual({ 'pause in holding': 1, 'pause in joining': 1 });
});

test('does not count a fault that found nothing to strike', () => {
  expect(covered({ ...fault('pause', 'p1', 50, 60), struck: false })).toEqual({});
});

test('adds up the counts of several runs', () => {
  const one = covered(fault('pause', 'p1', 50, 60));
  const other = covered(fault('pause', 'p1', 50, 60), fault('kill', 'p2', 50, 60));
  expect(sumOfCoverages(one, other)).toEqual({ 'pause in holding': 2, 'kill in joining': 1 });
});

test('shows pairs that were never seen', () => {
  const text = coverageTable(covered(fault('pause', 'p1', 50, 60)), ['pause', 'kill']);
  expect(text).toMatch(/pause +- +- +- +1 +- +-/);
  expect(text).toMatch(/kill +- +- +- +- +- +-/);
});
