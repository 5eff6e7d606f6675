import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { modeOf } from '../../lib/zookeeper/recipe/contender-name.js';
import { ContenderQueue } from '../../lib/zookeeper/recipe/contender-queue.js';
import { permitsData, readPermits } from '../../lib/zookeeper/recipe/permits-data.js';

/** A name of the contender with this kind and number: `p1` wants a permit, `m2` is exclusive, `r3` reads. */
function named(short: string): string {
  const marker = { p: 'permit-lock-', m: 'lock-', r: '__READ__' }[short[0] as 'p' | 'm' | 'r'];
  return `_c_f0000000-0000-4000-8000-000000000000-${marker}${short.slice(1).padStart(10, '0')}`;
}

function placeOf(me: string, queue: string, permits: number): unknown {
  const shorts = queue.split(' ');
  const place = new ContenderQueue(shorts.map(named)).placeOf(named(me), { permits });
  if (place.kind !== 'waiting') return place.kind;
  const { predecessors, blocking, holders } = place;
  const after = predecessors.map((name) => shorts.find((short) => named(short) === name)).join(' ');
  return { after, blocking, holders };
}

test('the name of a contender says whether it wants a permit', () => {
  expect([named('p1'), named('m1')].map(modeOf)).toEqual(['semaphore', 'exclusive']);
});

describe('the place of a contender for one of two permits', () => {
  test.for([
    ['alone', 'p1', 'p1', 'head'],
    ['with one other', 'p2', 'p1 p2', 'head'],
    ['before all others', 'p1', 'p1 p2 p3 m4', 'head'],
    [
      'when both are taken: behind both holders (H19)',
      'p3',
      'p1 p2 p3',
      { after: 'p2 p1', blocking: 1, holders: 2 },
    ],
    [
      'behind other waiters, near the head: behind all',
      'p5',
      'p1 p2 p3 p4 p5',
      { after: 'p4 p3 p2 p1', blocking: 3, holders: 2 },
    ],
    [
      'behind other waiters, further back: behind the nearest two',
      'p6',
      'p1 p2 p3 p4 p5 p6',
      { after: 'p5 p4', blocking: 4, holders: 2 },
    ],
    ['behind an exclusive holder', 'p2', 'm1 p2', { after: 'm1', blocking: 1, holders: 1 }],
    ['behind an exclusive waiter', 'p3', 'p1 m2 p3', { after: 'm2', blocking: 1, holders: 1 }],
    ['behind readers', 'p3', 'r1 r2 p3', { after: 'r2 r1', blocking: 2, holders: 2 }],
    [
      'behind an exclusive waiter and too many others',
      'p5',
      'p1 m2 p3 p4 p5',
      { after: 'm2', blocking: 3, holders: 1 },
    ],
    ['of an exclusive one: behind all', 'm3', 'p1 p2 m3', { after: 'p2 p1', blocking: 2, holders: 2 }],
    ['of a reader: behind all', 'r3', 'p1 p2 r3', { after: 'p2 p1', blocking: 2, holders: 2 }],
  ] as const)('%s', ([, me, queue, place]) => {
    expect(placeOf(me, queue, 2)).toEqual(place);
  });
});

const queues = fc
  .array(fc.constantFrom('p', 'p', 'p', 'm', 'r'), { minLength: 1, maxLength: 12 })
  .map((kinds) => kinds.map((kind, index) => `${kind}${index + 1}`));
const permitNumbers = fc.integer({ min: 1, max: 4 });

test('the holders share the front of the queue, and are never more than there are permits', () => {
  fc.assert(
    fc.property(queues, permitNumbers, (shorts, permits) => {
      const holders = shorts.filter((short) => placeOf(short, shorts.join(' '), permits) === 'head');
      expect(holders).toEqual(shorts.slice(0, holders.length));
      expect(holders.length).toBeGreaterThan(0);
      expect(new Set(holders.map(([kind]) => kind)).size).toBe(1);
      if (holders[0]!.startsWith('p')) expect(holders.length).toBeLessThanOrEqual(permits);
      if (holders[0]!.startsWith('m')) expect(holders).toHaveLength(1);
    }),
  );
});

test('nobody comes to hold the lock unless one of those that it watches has left', () => {
  fc.assert(
    fc.property(queues, permitNumbers, fc.infiniteStream(fc.nat()), (shorts, permits, choices) => {
      const places = shorts.map((short) => ({ short, place: placeOf(short, shorts.join(' '), permits) }));
      for (const { short, place } of places) {
        if (typeof place === 'string') continue;
        const watched = new Set((place as { after: string }).after.split(' '));
        const remaining = shorts.filter((other) => {
          const mayLeave = other !== short && !watched.has(other);
          return !mayLeave || (choices.next().value ?? 0) % 2 === 0;
        });
        expect(placeOf(short, remaining.join(' '), permits)).not.toBe('head');
      }
    }),
  );
});

test('when all that it waits for are watched, it has the lock as soon as enough of them have left', () => {
  fc.assert(
    fc.property(queues, permitNumbers, fc.infiniteStream(fc.nat()), (shorts, permits, choices) => {
      for (const short of shorts) {
        const place = new ContenderQueue(shorts.map(named)).placeOf(named(short), { permits });
        if (place.kind !== 'waiting' || !place.isDecisive) continue;
        const remaining = [...shorts];
        const watched = shorts.filter((other) => place.predecessors.includes(named(other)));
        for (let left = 0; left < place.blocking; left += 1) {
          expect(placeOf(short, remaining.join(' '), permits)).not.toBe('head');
          const [leaver] = watched.splice((choices.next().value ?? 0) % watched.length, 1);
          remaining.splice(remaining.indexOf(leaver!), 1);
        }
        expect(placeOf(short, remaining.join(' '), permits)).toBe('head');
      }
    }),
  );
});

test('the number of permits is stored as decimal text, and other data are no number', () => {
  expect(permitsData(12).toString()).toBe('12');
  for (const permits of [1, 12, 1_000]) expect(readPermits(permitsData(permits))).toBe(permits);
  for (const text of ['', '0', '-1', '1.5', '1e3', '01', ' 1', '1\n', '9'.repeat(20), '10.0.0.1'])
    expect(readPermits(Buffer.from(text))).toBeUndefined();
});
