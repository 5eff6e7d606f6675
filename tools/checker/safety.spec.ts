import { describe, expect, it } from 'vitest';
import { violatedInvariants, fault, write, type Case } from './violated-invariants.js';
import { at, attempt } from './tiny-history.js';

const first = attempt('p1.1#1').asked(0).granted(10, 1).checked(50).released(100);

describe('S1, valid holds never overlap', () => {
  const cases: Case[] = [
    [
      'one after the other',
      { attempts: [first, attempt('p2.1#1').asked(20).granted(101, 2).released(120)] },
      [],
    ],
    [
      'one within the other',
      { attempts: [first, attempt('p2.1#1').asked(20).granted(60, 2).released(70)] },
      ['S1'],
    ],
    [
      'a hold that was valid before and after the other one',
      {
        attempts: [
          attempt('p1.1#1').asked(0).granted(10, 1).checked(20).checked(5_000).released(5_001),
          attempt('p2.1#1').asked(20).granted(3_000, 2).released(3_001),
          attempt('p3.1#1').asked(20).granted(4_000, 3).released(4_001),
        ],
      },
      ['S1', 'S1'],
    ],
    [
      'a stalled process that finds its hold lost when it resumes',
      {
        attempts: [
          attempt('p1.1#1').asked(0).granted(10, 1).checked(20).checked(5_000, false).released(5_001, false),
          attempt('p2.1#1').asked(20).granted(3_000, 2).released(3_001),
        ],
      },
      [],
    ],
    [
      'a grant that arrives after its loss',
      {
        attempts: [
          attempt('p1.1#1').asked(0).granted(3_050, 1, false).released(3_060, false),
          attempt('p2.1#1').asked(20).granted(3_000, 2).released(3_100),
        ],
      },
      [],
    ],
    [
      'a holder that was killed',
      {
        attempts: [
          attempt('p1.1#1').asked(0).granted(10, 1).checked(50),
          attempt('p2.1#1').asked(20).granted(2_500, 2).released(2_600),
        ],
        ends: { 'p1.1': { to: at(60), end: 'killed' } },
      },
      [],
    ],
    [
      'a holder whose session a duplicate has just ended',
      {
        attempts: [first, attempt('p2.1#1').asked(20).granted(60, 2).released(70)],
        faults: [fault('sessionExpiry', 'p1', 54, 55)],
      },
      [],
    ],
    [
      'a holder that still works a session timeout after a duplicate ended its session',
      {
        attempts: [
          attempt('p1.1#1').asked(0).granted(10, 1).checked(20).released(2_100),
          attempt('p2.1#1').asked(20).granted(60, 2).released(70),
        ],
        faults: [fault('sessionExpiry', 'p1', 54, 55)],
      },
      ['S1'],
    ],
    [
      'a grant that arrives after a duplicate has ended the session and the next waiter was granted the lock',
      {
        attempts: [
          attempt('p1.1#1').asked(0).granted(60, 1).released(70),
          attempt('p2.1#1').asked(20).granted(50, 2).released(80),
        ],
        faults: [fault('sessionExpiry', 'p1', 40, 41)],
      },
      [],
    ],
    [
      'the same, after it has queued again',
      {
        attempts: [
          attempt('p1.1#1').asked(0).emitted(45, 'waiting', true).granted(60, 1).released(70),
          attempt('p2.1#1').asked(20).granted(50, 2).released(80),
        ],
        faults: [fault('sessionExpiry', 'p1', 40, 41)],
      },
      ['S1', 'S2'],
    ],
    [
      'a holder, after a duplicate has ended the session of another',
      {
        attempts: [first, attempt('p2.1#1').asked(20).granted(60, 2).released(70)],
        faults: [fault('sessionExpiry', 'p2', 54, 55)],
      },
      ['S1'],
    ],
    [
      'two resources',
      { attempts: [first, attempt('p2.1#1').asked(20, { resource: 'other' }).granted(60, 2).released(70)] },
      [],
    ],
  ];
  it.each(cases)('%s', (_what, tiny, expected) => expect(violatedInvariants(tiny)).toEqual(expected));
});

describe('S2, tokens increase and fencing rejects stale writes', () => {
  const second = attempt('p2.1#1').asked(20).granted(110, 2).released(120);
  const cases: Case[] = [
    ['increasing tokens', { attempts: [first, second] }, []],
    [
      'a smaller token',
      { attempts: [first, attempt('p2.1#1').asked(20).granted(110, 0).released(120)] },
      ['S2'],
    ],
    [
      'the same token',
      { attempts: [first, attempt('p2.1#1').asked(20).granted(110, 1).released(120)] },
      ['S2'],
    ],
    [
      'a smaller token of a grant that was lost before it arrived',
      { attempts: [first, attempt('p2.1#1').asked(0).granted(110, 0, false).released(120, false)] },
      [],
    ],
    [
      'a stale write that was rejected',
      { attempts: [first, second], writes: [write(111, 'p2.1#1', 2), write(112, 'p1.1#1', 1, false)] },
      [],
    ],
    [
      'a stale write that was accepted',
      { attempts: [first, second], writes: [write(111, 'p2.1#1', 2), write(112, 'p1.1#1', 1)] },
      ['S2'],
    ],
    [
      'a late write before any write of a newer grant',
      { attempts: [first, second], writes: [write(111, 'p1.1#1', 1), write(112, 'p2.1#1', 2)] },
      [],
    ],
  ];
  it.each(cases)('%s', (_what, tiny, expected) => expect(violatedInvariants(tiny)).toEqual(expected));
});
