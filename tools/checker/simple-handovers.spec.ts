import { expect, it } from 'vitest';
import { EXACT } from '../history/precision.js';
import { at, attempt, type TinyAttempt } from './tiny-history.js';
import { fault, violatedInvariants, type Case } from './violated-invariants.js';

const simple = (name: string, askedAt: number, minHold = 0): TinyAttempt =>
  attempt(name).asked(askedAt, { fair: false, minHold });
const holder = (): TinyAttempt => simple('p1.1#1', 10_000).granted(10_010, 2_048).released(20_000);
const waiter = (grantedAt: number): TinyAttempt =>
  simple('p2.1#1', 11_000)
    .emitted(11_010, 'waiting')
    .granted(grantedAt, 4_096)
    .released(grantedAt + 10);
const cases: Case[] = [
  ['at once', { attempts: [holder(), waiter(20_020)] }, []],
  ['before the release has returned', { attempts: [holder(), waiter(20_001)] }, []],
  ['much later', { attempts: [holder(), waiter(21_000)] }, ['L1']],
  [
    'just before its holder hears that an operator has deleted its node',
    {
      attempts: [
        simple('p1.1#1', 10_000).granted(10_010, 2_048).lost(20_021, 'deleted').released(20_022, false),
        waiter(20_020),
      ],
    },
    [],
  ],
  [
    'much later, after another one has given up',
    {
      attempts: [
        holder(),
        simple('p3.1#1', 11_000).add(20_900, { what: 'ended', attempt: 'p3.1#1', outcome: 'aborted' }),
        waiter(21_000),
      ],
    },
    [],
  ],
  [
    'when the ttl of the holder has passed, whose work goes on',
    {
      attempts: [
        simple('p1.1#1', 10_000).granted(10_010, 2_048).emitted(20_000, 'ttlExpired').released(22_000, false),
        waiter(20_020),
      ],
    },
    [],
  ],
  [
    'when the work of the holder has ended, who has lost it by a shutdown',
    {
      attempts: [
        simple('p1.1#1', 10_000).granted(10_010, 2_048).lost(18_000, 'shutdown').released(20_000, false),
        waiter(20_020),
      ],
    },
    [],
  ],
  [
    'when its holder has released it, who had lost and taken it again before it had all locks of its call',
    {
      attempts: [
        simple('p1.1#1/r', 9_000)
          .emitted(9_010, 'acquired')
          .emitted(9_500, 'lost')
          .granted(10_010, 2_048)
          .released(20_000),
        waiter(20_020),
      ],
    },
    [],
  ],
  [
    'much later, without contact',
    { attempts: [holder(), waiter(21_000)], faults: [fault('stall', 'p2', 19_990, 20_900)] },
    [],
  ],
  [
    'much later, because a client of another library had it',
    { attempts: [holder(), waiter(21_000)], faults: [fault('foreign', 'r', 20_010, 20_900)] },
    [],
  ],
  [
    'after the minHold of the holder, whose clock is a little fast',
    {
      attempts: [
        simple('p1.1#1', 9_000, 15_001).granted(10_010, 2_048).released(20_000).emitted(25_010, 'released'),
        waiter(25_010),
      ],
    },
    [],
  ],
  [
    'much later, without having been told that it is taken',
    {
      attempts: [holder(), simple('p2.1#1', 11_000).granted(21_000, 4_096).released(21_010)],
      events: [{ at: at(21_000), actor: 'p2.1', what: 'emitted', attempt: 'p2.1#1', event: 'acquired' }],
    },
    [],
  ],
];

it.each(cases)('L1, a lock without a queue is granted to a waiter: %s', (_name, history, expected) => {
  const found = violatedInvariants({ ...history, precision: EXACT });
  expect(found.filter((invariant) => invariant === 'L1')).toEqual(expected);
});
