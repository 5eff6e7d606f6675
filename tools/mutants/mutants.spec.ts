import { existsSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { NOT_SIMULATED } from '../simulation/judge/not-simulated.js';
import { SOUGHT_IN } from '../simulation/judge/sought-in.js';
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

test('mutants that are not simulated, or in one profile, are mutants', () => {
  const names = MUTANTS.map(({ name }) => name);
  expect([...NOT_SIMULATED.keys(), ...SOUGHT_IN.keys()].filter((name) => !names.includes(name))).toEqual([]);
});

test('no two mutants have the same name', () => {
  const names = MUTANTS.map(({ name }) => name);
  expect(names).toEqual([...new Set(names)]);
});
