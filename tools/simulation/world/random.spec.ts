import { expect, it } from 'vitest';
import { Random } from './random.js';

const draws = (random: Random): number[] => Array.from({ length: 20 }, () => random.fraction());

it('a seed gives the same numbers on every version of Node', () => {
  const random = new Random('seed 1');
  expect([random.integer(0, 0xffff), random.integer(0, 0xffff), random.integer(-3, 3)]).toEqual([
    49238, 24951, 0,
  ]);
  expect(random.uuid()).toBe('f23bae00-8701-40f0-982b-aa19e6992385');
  expect(random.fork('network').bytes(8).toString('hex')).toBe('335d6cd556fdbf1d');
});

it('a fork depends on the seed and its name alone, and consumes nothing', () => {
  const random = new Random('seed 1');
  const first = draws(random.fork('a'));
  draws(random);
  expect(draws(random.fork('a'))).toEqual(first);

  const [forked, untouched] = [new Random('seed 2'), new Random('seed 2')];
  draws(forked.fork('a'));
  expect(draws(forked)).toEqual(draws(untouched));
});

it('forks with other names, from other seeds or at other depths give other numbers', () => {
  const random = new Random('seed');
  const streams = [
    random,
    random.fork('a'),
    random.fork('b'),
    random.fork('a').fork('b'),
    random.fork('ab'),
    new Random('seed1').fork('a'),
  ];
  expect(new Set(streams.map((stream) => stream.uuid())).size).toBe(streams.length);
});

it('draws stay within their limits and reach all of them', () => {
  const random = new Random('limits');
  const integers = Array.from({ length: 1_000 }, () => random.integer(1, 6));
  expect(new Set(integers)).toEqual(new Set([1, 2, 3, 4, 5, 6]));

  const floats = Array.from({ length: 1_000 }, () => random.between(2, 3));
  expect(floats.every((float) => float >= 2 && float < 3)).toBe(true);
  expect(new Set(Array.from({ length: 100 }, () => random.pick(['a', 'b', 'c']))).size).toBe(3);
  expect(random.chance(0)).toBe(false);
  expect(random.chance(1)).toBe(true);
});

it('fractions are spread evenly', () => {
  const random = new Random('even');
  const counts = Array.from({ length: 10 }, () => 0);
  for (let draw = 0; draw < 100_000; draw++) counts[random.integer(0, 9)]! += 1;
  for (const count of counts) expect(Math.abs(count - 10_000)).toBeLessThan(500);
});

it('identifiers are of version 4, in lower case', () => {
  const random = new Random('uuid');
  for (let draw = 0; draw < 100; draw++) {
    expect(random.uuid()).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
  }
});
