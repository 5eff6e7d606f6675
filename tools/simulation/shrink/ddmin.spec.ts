import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { ddmin } from './ddmin.js';

const NUMBERS = Array.from({ length: 100 }, (_, index) => index);
const needs =
  (...needed: number[]) =>
  (items: readonly number[]): Promise<boolean> =>
    Promise.resolve(needed.every((item) => items.includes(item)));

test('leaves the items that are needed together, in their order', () =>
  fc.assert(
    fc.asyncProperty(fc.subarray(NUMBERS, { maxLength: 8 }), async (needed) => {
      expect(await ddmin(NUMBERS, needs(...needed))).toEqual(needed);
    }),
  ));

test('without any one of the items that it leaves, nothing fails', () =>
  fc.assert(
    fc.asyncProperty(fc.integer({ min: 1, max: 60 }), fc.integer({ min: 1, max: 5 }), async (least, step) => {
      // Not monotonic: smaller lists may fail where larger ones do not.
      const fails = (items: readonly number[]): Promise<boolean> =>
        Promise.resolve(items.length >= least && items.length % step === NUMBERS.length % step);
      const left = await ddmin(NUMBERS, fails);

      expect(await fails(left)).toBe(true);
      for (const item of left) expect(await fails(left.filter((other) => other !== item))).toBe(false);
    }),
  ));

test('needs few attempts where few items are needed', async () => {
  let attempts = 0;
  const fails = needs(17, 80);
  await ddmin(NUMBERS, (items) => {
    attempts += 1;
    return fails(items);
  });

  expect(attempts).toBeLessThan(60);
});

test('ends when it is late, with the smallest list so far', async () => {
  let attempts = 0;
  const left = await ddmin(NUMBERS, needs(17), () => attempts++ >= 3);

  expect(left).toContain(17);
  expect(left.length).toBeLessThan(NUMBERS.length);
  expect(left.length).toBeGreaterThan(1);
});
