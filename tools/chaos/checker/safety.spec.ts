import { describe, expect, it } from 'vitest';
import { brokenPromises, fault, write, type Case } from './violated-invariants.js';
import { at, attempt } from './tiny-history.js';

const first = attempt('p1.1#1').asked(0).granted(10, 1).looked(50).released(100);

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
          attempt('p1.1#1').asked(0).granted(10, 1).looked(20).looked(5_000).released(5_001),
          attempt('p2.1#1').asked(20).granted(3_000, 2).released(3_001),
          attempt('p3.1#1').asked(20).granted(4_000, 3).released(4_001),
        ],
      },
      ['S1', 'S1'],
    ],
    [
      'a process that stood still, and found its hold lost when it went on',
      {
        attempts: [
          attempt('p1.1#1').asked(0).granted(10, 1).looked(20).looked(5_000, false).released(5_001, false),
          attempt('p2.1#1').asked(20).granted(3_000, 2).released(3_001),
        ],
      },
      [],
    ],
    [
      'a grant that its process heard of when it was lost already',
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
          attempt('p1.1#1').asked(0).granted(10, 1).looked(50),
          attempt('p2.1#1').asked(20).granted(2_500, 2).released(2_600),
        ],
        ends: { 'p1.1': { to: at(60), end: 'killed' } },
      },
      [],
    ],
    [
      'a holder whose session was ended by its twin just before',
      {
        attempts: [first, attempt('p2.1#1').asked(20).granted(60, 2).released(70)],
        faults: [fault('sessionExpiry', 'p1', 54, 55)],
      },
      [],
    ],
    [
      'a holder that had a whole session timeout to hear of it',
      {
        attempts: [
          attempt('p1.1#1').asked(0).granted(10, 1).looked(20).released(2_100),
          attempt('p2.1#1').asked(20).granted(60, 2).released(70),
        ],
        faults: [fault('sessionExpiry', 'p1', 54, 55)],
      },
      ['S1'],
    ],
    [
      'a holder that hears of its grant when its session has been ended, and its lock granted to the next one',
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
      'the same, when it had queued again since',
      {
        attempts: [
          attempt('p1.1#1').asked(0).told(45, 'waiting', true).granted(60, 1).released(70),
          attempt('p2.1#1').asked(20).granted(50, 2).released(80),
        ],
        faults: [fault('sessionExpiry', 'p1', 40, 41)],
      },
      ['S1', 'S2'],
    ],
    [
      'a holder, when the session of another one was ended',
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
  it.each(cases)('%s', (_what, tiny, expected) => expect(brokenPromises(tiny)).toEqual(expected));
});

describe('S2, tokens grow and the fence holds', () => {
  const second = attempt('p2.1#1').asked(20).granted(110, 2).released(120);
  const cases: Case[] = [
    ['growing tokens', { attempts: [first, second] }, []],
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
      'a smaller token of a grant that was lost before it was heard of',
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
      'a late write that nobody had been before',
      { attempts: [first, second], writes: [write(111, 'p1.1#1', 1), write(112, 'p2.1#1', 2)] },
      [],
    ],
  ];
  it.each(cases)('%s', (_what, tiny, expected) => expect(brokenPromises(tiny)).toEqual(expected));
});
