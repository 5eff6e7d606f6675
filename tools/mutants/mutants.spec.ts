import { existsSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { mutated } from './mutant.js';
import { MUTANTS } from './mutants.js';

// Running the mutants takes too long for every change; this check finds those that no longer fit.
test.each(MUTANTS.map((mutant) => [mutant.name, mutant] as const))(
  'the mutant "%s" fits the code, and its specs exist',
  (_name, mutant) => {
    const original = readFileSync(mutant.file, 'utf8');

    expect(mutated(original, mutant)).not.toBe(original);
    const specs = mutant.specs.filter((argument) => argument.endsWith('.spec.ts'));
    expect(specs.filter((spec) => !existsSync(spec))).toEqual([]);
    expect(specs).not.toEqual([]);
  },
);

test('no two mutants have the same name', () => {
  const names = MUTANTS.map(({ name }) => name);
  expect(names).toEqual([...new Set(names)]);
});
