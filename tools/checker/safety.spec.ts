import { describe, expect, it } from 'vitest';
import { EXACT } from '../history/precision.js';
import { violatedInvariants, fault, write, type Case } from './violated-invariants.js';
import { at, attempt, connection, request } from './tiny-history.js';

const PERMITS = { mode: 'semaphore', permits: 2 } as const;
const first = attempt('p1.1#1').asked(0).granted(10, 1).checked(50).released(100);
const threePermits = [
  attempt('p1.1#1').asked(0, PERMITS).granted(10, 1).checked(50).released(100),
  attempt('p2.1#1').asked(20, PERMITS).granted(60, 2).released(80),
  attempt('p3.1#1').asked(20, PERMITS).granted(65, 3).released(80),
];

const permitTakenAway = {
  attempts: [
    attempt('p1.1#1').asked(20_000, PERMITS).granted(20_010, 1).released(30_000),
    attempt('p2.1#1').asked(20_020, PERMITS).emitted(20_030, 'waiting').granted(26_000, 2).released(26_010),
  ],
  events: request('p4.1?1', 25_000, 25_010, { permits: 1 }),
};

/** The third waiter stood still while there were four permits. */
const lateToItsPermit = (tokenOfTheLate: number) => ({
  attempts: [
    attempt('p1.1#1').asked(20_000, PERMITS).granted(20_010, 1).released(30_000),
    attempt('p2.1#1').asked(20_010, PERMITS).granted(20_020, 2).released(28_000),
    attempt('p3.1#1')
      .asked(20_020, PERMITS)
      .emitted(20_030, 'waiting')
      .granted(28_005, tokenOfTheLate)
      .released(28_015),
    attempt('p4.1#1').asked(20_020, PERMITS).emitted(20_030, 'waiting').granted(22_020, 4).released(30_000),
  ],
  events: [
    ...request('p5.1?1', 22_000, 22_010, { permits: 4 }),
    ...request('p5.1?2', 24_800, 24_810, { permits: 2 }),
  ],
  faults: [fault('stall', 'p3', 21_900, 24_900)],
  precision: EXACT,
});

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
      'a reader within another',
      {
        attempts: [
          attempt('p1.1#1').asked(0, { mode: 'read' }).granted(10, 1).checked(50).released(100),
          attempt('p2.1#1').asked(20, { mode: 'read' }).granted(60, 2).released(70),
        ],
      },
      [],
    ],
    [
      'a writer within a reader',
      {
        attempts: [
          attempt('p1.1#1').asked(0, { mode: 'read' }).granted(10, 1).checked(50).released(100),
          attempt('p2.1#1').asked(20, { mode: 'write' }).granted(60, 2).released(70),
        ],
      },
      ['S1'],
    ],
    [
      'as many holders as there are permits',
      {
        attempts: [
          attempt('p1.1#1').asked(0, PERMITS).granted(10, 1).checked(50).released(100),
          attempt('p2.1#1').asked(20, PERMITS).granted(60, 2).released(70),
          attempt('p3.1#1').asked(20, PERMITS).granted(72, 3).released(80),
        ],
      },
      [],
    ],
    [
      'more holders than permits',
      {
        attempts: [
          attempt('p1.1#1').asked(0, PERMITS).granted(10, 1).checked(50).released(100),
          attempt('p2.1#1').asked(20, PERMITS).granted(60, 2).released(70),
          attempt('p3.1#1').asked(20, PERMITS).granted(65, 3).released(80),
        ],
      },
      ['S1'],
    ],
    [
      'as many as there are permits since a change',
      { attempts: threePermits, events: request('p4.1?1', 50, 55, { permits: 3 }) },
      [],
    ],
    ['as many as there were permits before a change', { ...permitTakenAway, precision: EXACT }, ['S1']],
    [
      'as many as there were permits before a change, of which a process could not know',
      { ...permitTakenAway, faults: [fault('stall', 'p2', 24_000, 25_990)], precision: EXACT },
      [],
    ],
    [
      'more than there are permits since a change, all of whom had theirs before',
      {
        attempts: threePermits.slice(0, 2),
        events: request('p4.1?1', 70, 75, { permits: 1 }),
      },
      [],
    ],
    ['more than there are permits, as one behind got its own before a change', lateToItsPermit(3), []],
    ['more than there are permits, all of them ahead', lateToItsPermit(5), ['S1']],
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
      'a holder whose contender an operator has just deleted',
      {
        attempts: [first, attempt('p2.1#1').asked(20).granted(60, 2).released(70)],
        faults: [fault('contenderDeletion', 'p1.1#1', 54, 55)],
      },
      [],
    ],
    [
      'a holder that still works a session timeout after an operator deleted its contender',
      {
        attempts: [
          attempt('p1.1#1').asked(0).granted(10, 1).checked(20).released(2_100),
          attempt('p2.1#1').asked(20).granted(60, 2).released(70),
        ],
        faults: [fault('contenderDeletion', 'p1.1#1', 54, 55)],
      },
      ['S1'],
    ],
    [
      'the same one second after the deletion, in virtual time: its watch has told it',
      {
        attempts: [
          attempt('p1.1#1').asked(0).granted(10, 1).checked(20).released(1_100),
          attempt('p2.1#1').asked(20).granted(60, 2).released(70),
        ],
        faults: [fault('contenderDeletion', 'p1.1#1', 54, 55)],
        precision: EXACT,
      },
      ['S1'],
    ],
    [
      'the same more than a session timeout after it, if its connection was lost meanwhile',
      {
        attempts: [
          attempt('p1.1#1').asked(0).granted(10, 1).checked(20).released(2_400),
          attempt('p2.1#1').asked(20).granted(60, 2).released(70),
        ],
        events: [connection('p1.1', 50, 'suspended')],
        faults: [fault('contenderDeletion', 'p1.1#1', 54, 55)],
        precision: EXACT,
      },
      [],
    ],
    [
      'the same, if its connection came back half a second before: its watch, which came back too, has told it',
      {
        attempts: [
          attempt('p1.1#1').asked(0).granted(10, 1).checked(20).released(2_400),
          attempt('p2.1#1').asked(20).granted(60, 2).released(70),
        ],
        events: [connection('p1.1', 50, 'suspended'), connection('p1.1', 1_000, 'resumed')],
        faults: [fault('contenderDeletion', 'p1.1#1', 54, 55)],
        precision: EXACT,
      },
      ['S1'],
    ],
    [
      'the same two session timeouts after it, if it had contact only for moments',
      {
        attempts: [
          attempt('p1.1#1').asked(0).granted(10, 1).checked(20).released(4_000),
          attempt('p2.1#1').asked(20).granted(60, 2).released(70),
        ],
        events: [
          connection('p1.1', 50, 'suspended'),
          connection('p1.1', 2_000, 'resumed'),
          connection('p1.1', 2_010, 'suspended'),
          connection('p1.1', 3_700, 'resumed'),
        ],
        faults: [fault('contenderDeletion', 'p1.1#1', 54, 55)],
        precision: EXACT,
      },
      [],
    ],
    [
      'the same, if that connection was dead',
      {
        attempts: [
          attempt('p1.1#1').asked(0).granted(10, 1).checked(20).released(2_400),
          attempt('p2.1#1').asked(20).granted(60, 2).released(70),
        ],
        events: [
          connection('p1.1', 50, 'suspended'),
          connection('p1.1', 1_000, 'resumed'),
          connection('p1.1', 2_500, 'suspended'),
        ],
        faults: [fault('contenderDeletion', 'p1.1#1', 54, 55)],
        precision: EXACT,
      },
      [],
    ],
    [
      'a holder, after an operator has deleted the contender of another attempt of its process',
      {
        attempts: [first, attempt('p2.1#1').asked(20).granted(60, 2).released(70)],
        faults: [fault('contenderDeletion', 'p1.1#2', 54, 55)],
      },
      ['S1'],
    ],
    [
      'the next holder after it, of a lock without a queue: the deleted one may have given its lock up before it knew',
      {
        attempts: [first, attempt('p2.1#1').asked(20).granted(60, 2).released(70)],
        faults: [{ ...fault('contenderDeletion', 'p1.1#2', 54, 55), resource: 'r' }],
      },
      [],
    ],
    [
      'the next holder after it, of a lock without a queue, who had not asked then',
      {
        attempts: [
          attempt('p1.1#1').asked(56).granted(58, 1).released(70),
          attempt('p2.1#1').asked(57).granted(60, 2).released(62),
        ],
        faults: [{ ...fault('contenderDeletion', 'p1.1#2', 54, 55), resource: 'r' }],
      },
      [],
    ],
    [
      'a holder from before the servers lost their data',
      {
        attempts: [first, attempt('p2.1#1').asked(56).granted(60, 1).released(70)],
        faults: [fault('dataLoss', 's1', 54, 55)],
      },
      [],
    ],
    [
      'a holder that still works a session timeout after the servers lost their data',
      {
        attempts: [
          attempt('p1.1#1').asked(0).granted(10, 1).checked(20).released(2_100),
          attempt('p2.1#1').asked(56).granted(60, 1).released(70),
        ],
        faults: [fault('dataLoss', 's1', 54, 55)],
      },
      ['S1'],
    ],
    [
      'two holders after the servers lost their data, while one from before still works',
      {
        attempts: [
          first,
          attempt('p2.1#1').asked(56).granted(60, 1).released(80),
          attempt('p3.1#1').asked(56).granted(70, 2).released(90),
        ],
        faults: [fault('dataLoss', 's1', 54, 55)],
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

describe('S1 and S2, after callers of one process have shared a place', () => {
  const tiny = {
    attempts: [
      attempt('p1.1#1').asked(0).granted(10, 4_096).released(60),
      attempt('p1.1#2').asked(70).granted(71, 4_097).checked(80).released(100),
      attempt('p2.1#1').asked(72).granted(75, 1).released(79),
    ],
    faults: [fault('dataLoss', 's1', 54, 55)],
  };

  it('a caller may have the place until its process knows that the servers have lost it', () => {
    expect(violatedInvariants({ ...tiny, localQueue: true })).toEqual([]);
  });

  it('a caller with a place of its own, taken after the loss, may not', () => {
    expect(violatedInvariants({ ...tiny, localQueue: false })).toEqual(['S1', 'S2']);
  });
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
      'a smaller token, after the servers have lost their data',
      {
        attempts: [first, attempt('p2.1#1').asked(108).granted(110, 0).released(120)],
        faults: [fault('dataLoss', 's1', 105, 106)],
      },
      [],
    ],
    [
      'the same token, of a grant that the servers may have sent before they lost their data',
      {
        attempts: [
          attempt('p1.1#1').asked(0).granted(112, 1).released(115),
          attempt('p2.1#1').asked(108).granted(120, 1).released(130),
        ],
        faults: [fault('dataLoss', 's1', 105, 106)],
      },
      [],
    ],
    [
      'smaller tokens before and after the servers lost their data',
      {
        attempts: [
          first,
          attempt('p2.1#1').asked(20).granted(102, 0).released(103),
          attempt('p2.1#2').asked(108).granted(110, 3).released(120),
          attempt('p1.1#2').asked(108).granted(122, 2).released(130),
        ],
        faults: [fault('dataLoss', 's1', 105, 106)],
      },
      ['S2', 'S2'],
    ],
    [
      'a stale write that was accepted, after an operator had deleted the contender',
      {
        attempts: [first, second],
        faults: [fault('contenderDeletion', 'p1.1#1', 99, 100)],
        writes: [write(111, 'p2.1#1', 2), write(112, 'p1.1#1', 1)],
      },
      ['S2'],
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
