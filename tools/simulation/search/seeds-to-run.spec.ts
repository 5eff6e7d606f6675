import { expect, test } from 'vitest';
import { drawScenario } from '../scenario/draw-scenario.js';
import { seedsToRun } from './seeds-to-run.js';

test('leaves out the seeds of scenarios with more calls', () => {
  const seeds = seedsToRun({ from: 7, mostCalls: 80 });
  const [first, second] = [seeds.next().value, seeds.next().value];
  const inBetween = Array.from({ length: Number(second) - 7 }, (_, index) => String(7 + index));
  const short = inBetween.filter((seed) => drawScenario(seed).calls.length <= 80);
  expect(short).toEqual([first]);
});

test('are all of the same profile, if one is given', () => {
  const seeds = seedsToRun({ from: 7, mostCalls: Infinity, profile: 'crashes' });
  expect([seeds.next().value, seeds.next().value]).toEqual(['crashes/7', 'crashes/8']);
});

test('does not search for ever for scenarios that do not exist', () => {
  expect(() => seedsToRun({ from: 7, mostCalls: 1 }, 10).next()).toThrow(
    'The scenarios of seeds 7 to 16 have more than 1 calls',
  );
});
