import { expect, test } from 'vitest';
import { fault } from '../../checker/violated-invariants.js';
import { at, attempt, tinyHistory } from '../../checker/tiny-history.js';
import { Coverage } from './coverage.js';

const HISTORY = tinyHistory({
  attempts: [
    attempt('p1.1#1').asked(0).granted(10, 1).released(100),
    attempt('p2.1#1').asked(5).granted(110, 2).released(120),
  ],
  ends: { 'p1.1': { to: at(200), end: 'killed' }, 'p2.1': { to: at(200), end: 'killed' } },
});

function covered(...faults: ReturnType<typeof fault>[]): Coverage {
  const coverage = new Coverage();
  coverage.add({ ...HISTORY, faults });
  return coverage;
}

test('counts a fault for the attempts of its process, by what they were doing', () => {
  const coverage = covered(
    fault('pause', 'p1', 50, 60),
    fault('pause', 'p2', 2, 3),
    fault('pause', 'p2', 50, 60),
  );
  expect([coverage.of('pause', 'holding'), coverage.of('pause', 'joining')]).toEqual([1, 1]);
});

test('does not count a fault that found nothing to strike', () => {
  const coverage = covered({ ...fault('pause', 'p1', 50, 60), struck: false });
  expect(coverage.of('pause', 'holding')).toBe(0);
});

test('shows pairs that were never seen', () => {
  const table = covered(fault('pause', 'p1', 50, 60)).table(['pause', 'kill']);
  expect(table).toMatch(/^pause +- +- +- +1 +- +-$/m);
  expect(table).toMatch(/^kill +- +- +- +- +- +-$/m);
});
