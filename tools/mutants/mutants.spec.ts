import { existsSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { sabotaged } from './mutant.js';
import { SABOTAGES } from './mutants.js';

// To run them takes too long for every change, and one that does not fit guards nothing.
test.each(SABOTAGES.map((sabotage) => [sabotage.name, sabotage] as const))(
  'the sabotage "%s" fits the code, and its specs are there',
  (_name, sabotage) => {
    const original = readFileSync(sabotage.file, 'utf8');

    expect(sabotaged(original, sabotage)).not.toBe(original);
    const specs = sabotage.specs.filter((argument) => argument.startsWith('test/'));
    expect(specs.filter((spec) => !existsSync(spec))).toEqual([]);
    expect(specs).not.toEqual([]);
  },
);

test('no two sabotages have the same name', () => {
  const names = SABOTAGES.map(({ name }) => name);
  expect(names).toEqual([...new Set(names)]);
});
