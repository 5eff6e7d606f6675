import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { sequenceOf } from '../../lib/zookeeper/recipe/contender-name.js';
import { ContenderQueue } from '../../lib/zookeeper/recipe/contender-queue.js';

/** Of the kinds that exclude each other; readers have a spec of their own. */
const marker = fc.constantFrom('-lock-', '__lock__', '-__WRIT__');
const foreign = fc.constantFrom('0-meta', '0000000000', 'lock', 'x-lock-', '_c_-lease-0000000001');

/** A name, and its sequence number. */
function contender(sequence: fc.Arbitrary<number>): fc.Arbitrary<{ name: string; sequence: number }> {
  return fc.record({ uuid: fc.uuid({ version: 4 }), marker, sequence }).map(({ uuid, marker, sequence }) => {
    const digits =
      sequence < 0 ? `-${String(-sequence).padStart(9, '0')}` : String(sequence).padStart(10, '0');
    return { name: `_c_${uuid}${marker}${digits}`, sequence };
  });
}

/** Distinct contenders in any order, with foreign children between them. */
function children(
  sequence: fc.Arbitrary<number>,
  unique: (c: { name: string; sequence: number }) => unknown,
) {
  return fc
    .tuple(
      fc.uniqueArray(contender(sequence), { minLength: 1, maxLength: 12, selector: unique }),
      fc.uniqueArray(foreign),
    )
    .chain(([contenders, others]) =>
      fc.record({
        contenders: fc.constant(contenders),
        list: fc.shuffledSubarray([...contenders.map(({ name }) => name), ...others], {
          minLength: contenders.length + others.length,
        }),
      }),
    );
}

const trusted = fc.oneof(fc.integer({ min: 0, max: 30 }), fc.integer({ min: 0, max: 2_146_483_647 }));
const anySequence = fc.oneof(
  trusted,
  fc.integer({ min: -2_147_483_648, max: 2_147_483_647 }),
  fc.constant(2_147_483_647),
);

test('every permutation of the children has exactly one head, and a chain of predecessors to it', () => {
  fc.assert(
    fc.property(
      children(trusted, ({ sequence }) => sequence),
      ({ contenders, list }) => {
        const expected = contenders.sort((a, b) => a.sequence - b.sequence).map(({ name }) => name);
        expected.forEach((me, ahead) => {
          expect(new ContenderQueue(list).placeOf(me)).toEqual(
            ahead === 0
              ? { kind: 'head', ahead: 0, behind: expected.length - 1 }
              : {
                  kind: 'waiting',
                  predecessors: expected.slice(ahead > 3 ? ahead - 1 : 0, ahead).toReversed(),
                  isDecisive: ahead <= 3,
                  ahead,
                  blocking: ahead,
                  holders: 1,
                  havePermits: false,
                  behind: expected.length - 1 - ahead,
                },
          );
        });
      },
    ),
  );
});

test('with czxids there is exactly one head for any sequence numbers, and it was created first', () => {
  fc.assert(
    fc.property(
      children(anySequence, ({ name }) => name),
      fc.bigInt({ min: 0n, max: 1n << 62n }),
      ({ contenders, list }, base) => {
        const czxids = new Map(contenders.map(({ name }, i) => [name, base + BigInt(i)]));
        const heads = contenders.filter(
          ({ name }) => new ContenderQueue(list).placeOf(name, { czxids }).kind === 'head',
        );
        expect(heads.map(({ name }) => name)).toEqual([contenders[0]!.name]);
      },
    ),
  );
});

test('without czxids, a list is unambiguous for all its contenders or for none', () => {
  fc.assert(
    fc.property(
      children(anySequence, ({ name }) => name),
      ({ contenders, list }) => {
        const kinds = contenders.map(({ name }) => new ContenderQueue(list).placeOf(name).kind);
        const ambiguous = kinds.filter((kind) => kind === 'ambiguous').length;
        expect([0, contenders.length]).toContain(ambiguous);
        if (ambiguous === 0) expect(kinds.filter((kind) => kind === 'head')).toHaveLength(1);
      },
    ),
  );
});

test('the sequence number survives a round trip through the name', () => {
  fc.assert(
    fc.property(contender(anySequence), ({ name, sequence }) => {
      expect(sequenceOf(name)).toBe(sequence);
    }),
  );
});
