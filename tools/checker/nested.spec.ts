import { describe, expect, it } from 'vitest';
import { EXACT } from '../history/precision.js';
import { at, attempt } from './tiny-history.js';
import { fault, violatedInvariants, write, type Case } from './violated-invariants.js';

const PERMITS = { mode: 'semaphore', permits: 2 } as const;
const outer = (options = {}) => attempt('p1.1#1').asked(0, options).granted(10, 1);
const inner = (options = {}) => attempt('p1.1#1+').asked(20, { nestedIn: 'p1.1#1', ...options });
const rival = (options = {}) => attempt('p2.1#1').asked(15, options);
const ended = (ms: number, outcome: 'timedOut' | 'closed') =>
  ({ what: 'ended', attempt: 'p1.1#1+', outcome, at: at(ms), actor: 'p1.1' }) as const;

describe('re-entrant calls', () => {
  const cases: Case[] = [
    [
      'a call within the hold around it',
      { attempts: [outer().released(100), inner().granted(20, 1).released(50)] },
      [],
    ],
    [
      'two of them, one in the other',
      {
        attempts: [
          outer().released(100),
          inner().granted(20, 1).released(80),
          attempt('p1.1#1++').asked(30, { nestedIn: 'p1.1#1+' }).granted(30, 1).released(50),
        ],
      },
      [],
    ],
    [
      'a call after the servers lost their data and issued the same token again, within a hold that was lost',
      {
        attempts: [
          outer().add(18, { what: 'signalled', attempt: 'p1.1#1', detail: 'lost' }).released(60, false),
          inner().granted(25, 1).released(50),
        ],
        precision: EXACT,
        faults: [fault('dataLoss', 's1', 17, 18)],
      },
      [],
    ],
    [
      'a call after the servers lost their data, within a hold from before',
      {
        attempts: [
          attempt('p1.1#1').asked(0).granted(5, 9).released(30),
          inner().granted(20, 9).released(28),
          attempt('p2.1#1').asked(35).granted(40, 1).released(50),
        ],
        faults: [fault('dataLoss', 's1', 17, 18)],
      },
      [],
    ],
    [
      'another token',
      { attempts: [outer().released(100), inner().granted(20, 2).released(50)] },
      ['S1', 'S2'],
    ],
    [
      'a wait for the own lock',
      { attempts: [outer().released(9_000), inner().granted(8_000, 1).released(8_500)] },
      ['L1'],
    ],
    [
      'a timeout',
      { attempts: [outer().released(100), inner({ wait: 20 })], events: [ended(40, 'timedOut')] },
      ['L1'],
    ],
    [
      'a call of a service that closes',
      {
        attempts: [outer().released(100), inner()],
        events: [ended(20, 'closed')],
        ends: { 'p1.1': { to: at(200), end: 'shutDown' } },
      },
      [],
    ],
    [
      'a call after the loss of the hold around it',
      {
        attempts: [
          outer().checked(18, false).released(100, false),
          inner().granted(90, 3).released(95),
          rival().granted(25, 2).released(80),
        ],
      },
      [],
    ],
    [
      'a call that ends after the hold around it',
      {
        attempts: [
          outer().released(50),
          inner().granted(20, 1).released(100),
          rival().granted(102, 2).released(110),
        ],
      },
      [],
    ],
    [
      'a rival that is granted the lock too early then',
      {
        attempts: [
          outer().released(50),
          inner().granted(20, 1).released(100),
          rival().granted(60, 2).released(110),
        ],
      },
      ['S1'],
    ],
    [
      'a hold that is kept when the one around it is lost',
      {
        attempts: [
          outer().checked(30, false).released(100, false),
          inner().granted(20, 1).checked(40).released(90, false),
        ],
        precision: EXACT,
      },
      ['S1'],
    ],
    [
      'a hold that is kept when the one around it is lost after its release',
      {
        attempts: [
          outer({ minHold: 50 }).released(25).emitted(30, 'lost'),
          inner().granted(20, 1).checked(40).released(90, false),
        ],
        precision: EXACT,
      },
      ['S1'],
    ],
    [
      'a hold that is kept when another lock of the call around it is lost after its release',
      {
        attempts: [
          outer({ minHold: 50 })
            .released(25)
            .add(30, { what: 'signalled', attempt: 'p1.1#1', detail: 'other' }),
          inner().granted(20, 1).checked(40).released(90),
        ],
        precision: EXACT,
      },
      [],
    ],
    [
      'a hold in the one around an inner one that was lost before',
      {
        attempts: [
          outer().released(100),
          inner({ ttl: 10 })
            .granted(20, 1)
            .checked(29)
            .add(30, { what: 'signalled', attempt: 'p1.1#1+', detail: 'ttl' })
            .released(80, false),
          attempt('p1.1#1++').asked(31, { nestedIn: 'p1.1#1+' }).granted(31, 1).checked(50).released(60),
        ],
        precision: EXACT,
      },
      [],
    ],
    [
      'a hold that is kept after the ttl of the one around it',
      {
        attempts: [outer({ ttl: 100 }).released(50), inner().granted(20, 1).released(200)],
        precision: EXACT,
      },
      ['S1'],
    ],
    [
      'a hold that is kept with the one around it, which is extended',
      {
        attempts: [outer({ ttl: 100 }).extended(40, 300).released(50), inner().granted(20, 1).released(200)],
        precision: EXACT,
      },
      [],
    ],
    [
      'one permit for both',
      {
        attempts: [
          outer(PERMITS).released(100),
          inner(PERMITS).granted(20, 1).released(50),
          rival(PERMITS).granted(30, 2).released(40),
        ],
      },
      [],
    ],
    [
      'writes of both in turns',
      {
        attempts: [outer().released(100), inner().granted(20, 1).released(50)],
        writes: [write(15, 'p1.1#1', 1), write(30, 'p1.1#1+', 1), write(60, 'p1.1#1', 1)],
      },
      [],
    ],
    [
      'a call before those that wait',
      {
        attempts: [
          outer().released(100),
          inner().granted(20, 1).released(50),
          rival().emitted(16, 'waiting').granted(110, 2).released(120),
        ],
      },
      [],
    ],
  ];
  it.each(cases)('%s', (_what, tiny, expected) => expect(violatedInvariants(tiny)).toEqual(expected));

  it('has no event if the service takes no more calls', () => {
    const around = outer().emitted(10, 'acquired').released(100).emitted(101, 'released');
    const refused = {
      attempts: [around, inner()],
      events: [ended(20, 'closed')],
      ends: { 'p1.1': { to: at(200), end: 'shutDown' } },
    } as const;

    expect(violatedInvariants(refused, true)).toEqual([]);
  });
});
