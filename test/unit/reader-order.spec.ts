import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { modeOf } from '../../lib/zookeeper/recipe/contender-name.js';
import { ContenderQueue } from '../../lib/zookeeper/recipe/contender-queue.js';

/** A name of the contender with this kind and number: `r1` reads, `w2` writes, `m3` is exclusive. */
function named(short: string): string {
  const marker = { r: '__READ__', w: '__WRIT__', m: 'lock-' }[short[0] as 'r' | 'w' | 'm'];
  return `_c_f0000000-0000-4000-8000-00000000000${short[0]!.charCodeAt(0) % 10}-${marker}${short.slice(1).padStart(10, '0')}`;
}

function placeOf(me: string, queue: string): unknown {
  const place = new ContenderQueue(queue.split(' ').map(named)).placeOf(named(me));
  if (place.kind !== 'waiting') return place.kind;
  const { predecessors, ahead, blocking, holders } = place;
  const [predecessor] = predecessors;
  const after = queue.split(' ').find((short) => named(short) === predecessor);
  return { after, ahead, blocking, holders };
}

test.for([
  [named('r1'), 'read'],
  ['1f2e3d4c5b6a79881f2e3d4c5b6a7988__rlock__0000000007', 'read'],
  [named('w1'), 'write'],
  [named('m1'), 'exclusive'],
  ['1f2e3d4c5b6a79881f2e3d4c5b6a7988__lock__0000000003', 'exclusive'],
  ['_c_f0000000-__READ__-lock-0000000003', 'exclusive'],
  ['__READ__', 'exclusive'],
] as const)('the contender %s wants the lock with mode %s', ([name, mode]) => {
  expect(modeOf(name)).toBe(mode);
});

describe('the place of a reader', () => {
  test.for([
    ['alone', 'r1', 'r1', 'head'],
    ['with other readers', 'r3', 'r1 r2 r3', 'head'],
    ['before a writer that came later (H17)', 'r1', 'r1 w2', 'head'],
    ['behind a writer', 'r2', 'w1 r2', { after: 'w1', ahead: 1, blocking: 1, holders: 1 }],
    ['behind an exclusive contender', 'r2', 'm1 r2', { after: 'm1', ahead: 1, blocking: 1, holders: 1 }],
    ['behind a writer that waits', 'r3', 'r1 w2 r3', { after: 'w2', ahead: 2, blocking: 1, holders: 1 }],
    [
      'behind the nearest of two writers',
      'r5',
      'w1 r2 w3 r4 r5',
      { after: 'w3', ahead: 4, blocking: 2, holders: 1 },
    ],
  ] as const)('%s', ([, me, queue, place]) => {
    expect(placeOf(me, queue)).toEqual(place);
  });
});

describe('the place of a writer', () => {
  test.for([
    ['alone', 'w1', 'w1', 'head'],
    ['before readers', 'w1', 'w1 r2 r3', 'head'],
    ['behind a reader', 'w2', 'r1 w2', { after: 'r1', ahead: 1, blocking: 1, holders: 1 }],
    [
      'behind readers, all of whom hold',
      'w4',
      'r1 r2 r3 w4',
      { after: 'r3', ahead: 3, blocking: 3, holders: 3 },
    ],
    ['behind readers that wait', 'w4', 'w1 r2 r3 w4', { after: 'r3', ahead: 3, blocking: 3, holders: 1 }],
    ['like that of an exclusive one', 'm3', 'r1 w2 m3', { after: 'w2', ahead: 2, blocking: 2, holders: 1 }],
  ] as const)('%s', ([, me, queue, place]) => {
    expect(placeOf(me, queue)).toEqual(place);
  });
});

const queues = fc
  .array(fc.constantFrom('r', 'w', 'm'), { minLength: 1, maxLength: 12 })
  .map((kinds) => kinds.map((kind, index) => `${kind}${index + 1}`));

test('the holders are the readers at the front, or the first contender; all others wait for one who is ahead', () => {
  fc.assert(
    fc.property(queues, (shorts) => {
      const holders = shorts.filter((short) => placeOf(short, shorts.join(' ')) === 'head');
      const firstOther = shorts.findIndex((short) => short[0] !== 'r');
      const front = firstOther === -1 ? shorts : shorts.slice(0, Math.max(1, firstOther));
      expect(holders).toEqual(front);
      for (const [index, short] of shorts.entries()) {
        const place = placeOf(short, shorts.join(' ')) as string | { after: string; holders: number };
        if (typeof place === 'string') continue;
        expect(shorts.indexOf(place.after)).toBeLessThan(index);
        expect(place.holders).toBe(holders.length);
      }
    }),
  );
});

test('whoever leaves, no later contender comes between those who wait and their lock', () => {
  fc.assert(
    fc.property(queues, fc.nat(), (shorts, who) => {
      const remaining = shorts.filter((_, index) => index !== who % shorts.length);
      for (const short of remaining) {
        const later = [...remaining, `w${shorts.length + 1}`, `r${shorts.length + 2}`];
        expect(placeOf(short, later.join(' '))).toEqual(placeOf(short, remaining.join(' ')));
      }
    }),
  );
});
