import { expect, test } from 'vitest';
import { parseCommandLine } from './command-line.js';
import { MUTANTS } from './mutants.js';

const namesOf = (...args: string[]): string[] => parseCommandLine(args).map(({ name }) => name);

test('all mutants are applied, or those that are named', () => {
  expect(parseCommandLine([])).toEqual(MUTANTS);
  expect(namesOf('no barrier', 'no window')).toEqual(expect.arrayContaining(['no barrier', 'no window']));
  expect(namesOf('no barrier', 'no window')).toHaveLength(2);
});

test('each mutant is in one of the shards', () => {
  const shards = ['1/3', '2/3', '3/3'].flatMap((shard) => namesOf('--shard', shard));
  expect(shards.toSorted()).toEqual(namesOf().toSorted());
});

test.each([
  [['no barier'], "There is no mutant 'no barier'"],
  [['--shard', '0/3'], '--shard must be i/n, where 1 <= i <= n <= 999: got 0/3'],
  [['--shard', '4/3'], '--shard must be i/n, where 1 <= i <= n <= 999: got 4/3'],
  [['--shard', 'all'], '--shard must be i/n, where 1 <= i <= n <= 999: got all'],
  [['--seed', '7'], "Unknown option '--seed'"],
])('%j is refused', (args, message) => {
  expect(() => parseCommandLine(args)).toThrow(message);
});
