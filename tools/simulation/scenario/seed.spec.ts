import { expect, test } from 'vitest';
import { drawScenario } from './draw-scenario.js';
import { PROFILES } from './profiles/profiles.js';
import { assertProfileName, profileOf, seedName } from './seed.js';

test('the name of a seed says which profile its run has, unless it draws one', () => {
  expect(seedName(7)).toBe('7');
  expect(profileOf('7')).toBeUndefined();
  expect(seedName(7, 'crashes')).toBe('crashes/7');
  expect(profileOf('crashes/7')).toBe(PROFILES.crashes);
});

test('all runs of a profile are of it', () => {
  const kinds = Array.from({ length: 20 }, (_, seed) => drawScenario(seedName(seed, 'late-touches')).faults)
    .flat()
    .map(({ fault }) => fault.kind);
  expect(new Set(kinds)).toEqual(new Set(['lateTouch']));
});

test('refuses an unknown profile, and names those that exist', () => {
  const refused = "There is no profile 'crash': the profiles are mixed, crashes, ";
  expect(() => profileOf('crash/7')).toThrow(refused);
  expect(() => assertProfileName('crash')).toThrow(refused);
  expect(() => drawScenario('toString/7')).toThrow("There is no profile 'toString'");
});
