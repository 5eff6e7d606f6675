import { describe, expect, it } from 'vitest';
import { EXACT } from '../history/precision.js';
import { at, attempt } from './tiny-history.js';
import { fault, violatedInvariants, write, type Case } from './violated-invariants.js';

const QUIET = 10_000;
const CALL = 'p1.1#1';
const ended = (member: string, ms: number, outcome: 'aborted' | 'busy' | 'closed' | 'lost' | 'timedOut') =>
  ({ what: 'ended', attempt: `${CALL}/${member}`, outcome, at: at(ms), actor: 'p1.1' }) as const;
const signalled = (member: string, ms: number) =>
  ({ what: 'signalled', attempt: `${CALL}/${member}`, detail: '', at: at(ms), actor: 'p1.1' }) as const;
/** One lock of the call. */
const member = (resource: string, options = {}) =>
  attempt(`${CALL}/${resource}`).asked(0, { resource, ...options });
const rival = (resource = 'a') => attempt('p2.1#1').asked(20, { resource });

describe('S1, of several locks', () => {
  const both = [member('a').granted(10, 1).released(100), member('b').granted(10, 1).released(100)];
  const toldAtItsRelease = (name: string, held: boolean) =>
    attempt(`${CALL}/${name}`)
      .asked(0, { resource: name })
      .granted(10, 1)
      .add(20, { what: 'releasing', attempt: `${CALL}/${name}`, held });
  const toldLost = ['a', 'b'].map(
    (name) =>
      ({ at: at(21), actor: 'p1.1', what: 'released', attempt: `${CALL}/${name}`, outcome: 'lost' }) as const,
  );
  const cases: Case[] = [
    ['all are granted', { attempts: both }, []],
    ['one of them is not', { attempts: [both[0]!, member('b')] }, ['L1', 'S1']],
    ['one overlaps with a rival', { attempts: [...both, rival().granted(50, 2).released(60)] }, ['S1']],
    ['another lock is free for a rival', { attempts: [...both, rival('c').granted(50, 2).released(60)] }, []],
    [
      'one is lost and the other one is kept',
      {
        attempts: [
          member('a').granted(10, 1).checked(50, false).released(100, false),
          member('b').granted(10, 1).checked(60).released(100, false),
        ],
        precision: EXACT,
      },
      ['S1'],
    ],
    [
      'one is lost, and the process stands still before it can give up the other one',
      {
        attempts: [
          member('a').granted(10, 1).checked(50, false).released(100, false),
          member('b').granted(10, 1).checked(60).released(100, false),
        ],
        events: [{ at: at(90), actor: 'p1.1', what: 'lagged', ms: 50 }],
        precision: EXACT,
      },
      [],
    ],
    [
      'both are lost at one moment',
      {
        attempts: [
          member('a').granted(10, 1).checked(50, false).released(100, false),
          member('b').granted(10, 1).checked(50).checked(50, false).released(100, false),
        ],
        events: [signalled('a', 50), signalled('b', 50)],
        precision: EXACT,
      },
      [],
    ],
    [
      'a release finds that somebody has deleted the other one',
      {
        attempts: [toldAtItsRelease('a', true), toldAtItsRelease('b', true)],
        events: toldLost,
        faults: [fault('contenderDeletion', `${CALL}/b`, 15, 15)],
        precision: EXACT,
      },
      [],
    ],
    [
      'a release finds that the other one has been lost in this moment',
      {
        attempts: [toldAtItsRelease('a', true), toldAtItsRelease('b', false)],
        events: toldLost,
        precision: EXACT,
      },
      [],
    ],
    [
      'a release of both is told that they have been lost',
      {
        attempts: [toldAtItsRelease('a', true), toldAtItsRelease('b', true)],
        events: toldLost,
        precision: EXACT,
      },
      ['S1', 'S1'],
    ],
    [
      'each fences its own resource',
      {
        attempts: both,
        writes: [
          { ...write(20, `${CALL}/a`, 1), resource: 'a' },
          { ...write(20, `${CALL}/b`, 1), resource: 'b' },
        ],
      },
      [],
    ],
  ];
  it.each(cases)('%s', (_what, tiny, expected) => expect(violatedInvariants(tiny)).toEqual(expected));
});

describe('L1, of several locks', () => {
  const taken = member('a').emitted(10, 'acquired');
  const waiting = [taken, member('b').emitted(12, 'waiting')];
  const cases: Case[] = [
    [
      'the loss of a lock that was not granted is no end of a call',
      { attempts: [member('a'), member('b')], events: [ended('a', 50, 'lost'), ended('b', 50, 'lost')] },
      ['L1', 'L1'],
    ],
    [
      'a call waits for a lock that nobody has',
      {
        quietFrom: QUIET,
        attempts: waiting,
        events: [ended('a', 40_000, 'aborted'), ended('b', 40_000, 'aborted')],
      },
      ['L1', 'L1'],
    ],
    [
      'a rival waits for a lock that such a call has taken',
      {
        quietFrom: QUIET,
        attempts: [
          member('a').emitted(10, 'acquired').granted(40_000, 1).released(40_010),
          member('b').emitted(12, 'waiting').granted(40_000, 2).released(40_010),
          attempt('p3.1#1').asked(5, { resource: 'b' }).granted(6, 1).released(39_990),
          rival().granted(40_020, 2).released(40_030),
        ],
      },
      [],
    ],
    [
      'only one of them was busy',
      {
        attempts: [
          member('a', { wait: 0 }),
          member('b', { wait: 0 }).emitted(30, 'busy'),
          rival('b').granted(25, 1),
        ],
        events: [ended('a', 50, 'busy'), ended('b', 50, 'busy')],
        ends: { 'p2.1': { to: at(60), end: 'killed' } },
      },
      [],
    ],
    [
      'none was busy',
      {
        attempts: [member('a', { wait: 0 }), member('b', { wait: 0 }).emitted(30, 'busy')],
        events: [ended('a', 50, 'busy'), ended('b', 50, 'busy')],
      },
      ['L1'],
    ],
  ];
  it.each(cases)('%s', (_what, tiny, expected) => expect(violatedInvariants(tiny)).toEqual(expected));
});

describe('L1 in the events of several locks', () => {
  const lostOne = (options = {}) => member('a', options).emitted(5, 'acquired').emitted(10, 'lost');
  const again = () => lostOne().emitted(12, 'acquired').granted(20, 1).released(30).emitted(31, 'released');
  const waiting = (ms: number, goesOn: boolean) =>
    member('b')
      .emitted(6, 'waiting')
      .emitted(ms, goesOn ? 'waiting' : 'aborted', goesOn)
      .emitted(18, 'acquired')
      .granted(20, 1)
      .released(30)
      .emitted(31, 'released');
  const held = (resource: string) =>
    member(resource).emitted(5, 'acquired').granted(10, 1).released(20).emitted(21, 'released');
  const cases: Case[] = [
    ['one round', { attempts: [held('a'), held('b')] }, []],
    [
      'one that was lost before the other one was granted, and acquired again',
      {
        attempts: [
          member('a')
            .emitted(2, 'acquired')
            .emitted(3, 'lost')
            .emitted(5, 'acquired')
            .granted(10, 1)
            .released(20)
            .emitted(21, 'released'),
          held('b'),
        ],
      },
      [],
    ],
    [
      'one hold without an end',
      { attempts: [held('a'), member('b').emitted(5, 'acquired').granted(10, 1).released(20)] },
      ['L1'],
    ],
    [
      'a wait that has timed out, under another lock',
      {
        attempts: [
          member('a', { wait: 40 }).emitted(5, 'acquired').emitted(40, 'released'),
          member('b', { wait: 40 }).emitted(6, 'waiting').emitted(40, 'timedOut'),
        ],
        events: [ended('a', 41, 'timedOut'), ended('b', 41, 'timedOut')],
      },
      [],
    ],
    [
      'a call that a service refused, which had begun to close',
      {
        attempts: [member('a'), member('b')],
        events: [ended('a', 0, 'closed'), ended('b', 0, 'closed')],
        ends: { 'p1.1': { to: at(5), end: 'shutDown' } },
      },
      [],
    ],
    [
      'the same without its event',
      {
        attempts: [
          member('a', { wait: 40 }).emitted(5, 'acquired').emitted(40, 'released'),
          member('b', { wait: 40 }).emitted(6, 'waiting'),
        ],
        events: [ended('a', 41, 'timedOut'), ended('b', 41, 'timedOut')],
      },
      ['L1', 'L1'],
    ],
    ['a wait that goes on when the call starts again', { attempts: [again(), waiting(14, true)] }, []],
    ['one that ends then', { attempts: [again(), waiting(10, false)] }, ['L1']],
    [
      'a call that fails when it has started again',
      {
        attempts: [
          lostOne({ wait: 40 }).emitted(40, 'timedOut'),
          member('b', { wait: 40 }).emitted(6, 'waiting').emitted(40, 'timedOut'),
        ],
        events: [ended('a', 41, 'timedOut'), ended('b', 41, 'timedOut')],
      },
      [],
    ],
    [
      'the same without the end of the wait',
      {
        attempts: [
          lostOne({ wait: 40 }).emitted(40, 'timedOut'),
          member('b', { wait: 40 }).emitted(6, 'waiting'),
        ],
        events: [ended('a', 41, 'timedOut'), ended('b', 41, 'timedOut')],
      },
      ['L1'],
    ],
  ];
  it.each(cases)('%s', (_what, tiny, expected) => expect(violatedInvariants(tiny, true)).toEqual(expected));
});

it('F1: one that starts again has left the queues of the others', () => {
  const attempts = [
    member('a')
      .emitted(5, 'acquired')
      .emitted(10, 'lost')
      .emitted(12, 'acquired')
      .granted(40, 2)
      .released(50)
      .emitted(51, 'released'),
    member('b').emitted(6, 'waiting').emitted(36, 'acquired').granted(40, 3).released(50),
    rival('b').granted(30, 2).released(35),
    attempt('p3.1#1').asked(1, { resource: 'b' }).granted(2, 1).released(25),
  ];
  expect(violatedInvariants({ attempts })).toEqual([]);
});
