import { describe, expect, it } from 'vitest';
import { EXACT } from '../history/precision.js';
import type { ReleaseOutcome } from '../history/process-event.js';
import { at, attempt, type TinyAttempt } from './tiny-history.js';
import { fault, violatedInvariants, type Case } from './violated-invariants.js';

describe('S1, of a hold alone', () => {
  const lost = attempt('p1.1#1').asked(0).granted(10, 1, false).released(20, false);
  const deniedRelease = attempt('p1.1#1')
    .asked(0)
    .granted(10, 1)
    .add(20, { what: 'releasing', attempt: 'p1.1#1', held: true })
    .add(21, { what: 'released', attempt: 'p1.1#1', outcome: 'lost' });
  const extended = (ttl: number): TinyAttempt =>
    attempt('p1.1#1').asked(0, { ttl: 100 }).granted(10, 1).extended(90, ttl).checked(350).released(351);
  const untold = attempt('p1.1#1').asked(0, { ttl: 100 }).granted(10, 1);
  const toldAt = (ms: number): TinyAttempt =>
    attempt('p1.1#1').asked(0, { ttl: 100 }).granted(10, 1).lost(ms).released(400, false);
  const releasedAfterLoss = (outcome: ReleaseOutcome): TinyAttempt =>
    attempt('p1.1#1')
      .asked(0)
      .granted(10, 1)
      .lost(20, 'session')
      .add(30, { what: 'releasing', attempt: 'p1.1#1', held: false })
      .add(31, { what: 'released', attempt: 'p1.1#1', outcome });
  const cases: Case[] = [
    ['lost before the grant', { attempts: [lost], precision: EXACT }, ['S1']],
    ['the same on a real machine', { attempts: [lost] }, []],
    [
      'the same in a process that is descheduled at random',
      { attempts: [lost], precision: EXACT, faults: [fault('preempt', 'p1', 0, 5)] },
      [],
    ],
    [
      'the same in a process that was descheduled before it asked',
      {
        attempts: [attempt('p1.1#1').asked(7).granted(10, 1, false).released(20, false)],
        precision: EXACT,
        faults: [fault('preempt', 'p1', 0, 5)],
        events: [{ at: at(6), actor: 'p1.1', what: 'lagged', ms: 5 }],
      },
      ['S1'],
    ],
    [
      'lost, and held again',
      {
        attempts: [
          attempt('p1.1#1')
            .asked(0)
            .granted(10, 1)
            .checked(20, false)
            .checked(30)
            .checked(40, false)
            .released(50, false),
        ],
      },
      ['S1'],
    ],
    [
      'held after its release',
      { attempts: [attempt('p1.1#1').asked(0).granted(10, 1).released(20).checked(21)] },
      ['S1'],
    ],
    [
      'released while it was held, and told that it was lost',
      { attempts: [deniedRelease], precision: EXACT },
      ['S1'],
    ],
    [
      'the same when somebody else deletes its contender in this moment',
      {
        attempts: [deniedRelease],
        precision: EXACT,
        faults: [fault('contenderDeletion', 'p1.1#1', 20.5, 20.5)],
      },
      [],
    ],
    ['the same on a real machine, whose process may stop in between', { attempts: [deniedRelease] }, []],
    [
      'held until its ttl',
      { attempts: [attempt('p1.1#1').asked(0, { ttl: 100 }).granted(10, 1).checked(109).released(110)] },
      [],
    ],
    [
      'held after its ttl',
      {
        attempts: [attempt('p1.1#1').asked(0, { ttl: 100 }).granted(10, 1).checked(300).released(301)],
        precision: EXACT,
      },
      ['S1'],
    ],
    [
      'held after its ttl, because its process stood still between its acquisition and its grant',
      {
        attempts: [
          attempt('p1.1#1')
            .asked(0, { ttl: 100 })
            .emitted(10, 'acquired')
            .granted(300, 1)
            .checked(399)
            .released(400),
        ],
        precision: EXACT,
      },
      [],
    ],
    ['told at its ttl', { attempts: [toldAt(110)], precision: EXACT }, []],
    ['told long after its ttl', { attempts: [toldAt(300)], precision: EXACT }, ['S1']],
    [
      'told long after its ttl, because its process stood still',
      {
        attempts: [toldAt(300)],
        events: [{ at: at(300), actor: 'p1.1', what: 'lagged', ms: 190 }],
        precision: EXACT,
      },
      [],
    ],
    [
      'told long after its ttl, on a busy machine',
      {
        attempts: [
          attempt('p1.1#1').asked(0, { ttl: 100 }).granted(10, 1).lost(3_000).released(9_000, false),
        ],
      },
      [],
    ],
    [
      'told after an age on a busy machine',
      {
        attempts: [
          attempt('p1.1#1').asked(0, { ttl: 100 }).granted(10, 1).lost(4_000).released(9_000, false),
        ],
      },
      ['S1'],
    ],
    ['never told, because its work had ended', { attempts: [untold.released(109)], precision: EXACT }, []],
    [
      'never told, because its process was killed, which had been stopped before perhaps',
      {
        attempts: [attempt('p1.1#1').asked(0, { ttl: 100 }).granted(10, 1)],
        ends: { 'p1.1': { to: at(9_000), end: 'killed' } },
      },
      [],
    ],
    [
      'told that it was lost, and not by its release',
      { attempts: [releasedAfterLoss('kept')], precision: EXACT },
      ['S1'],
    ],
    [
      'told that it was lost, and by its release',
      { attempts: [releasedAfterLoss('lost')], precision: EXACT },
      [],
    ],
    [
      'told that it was lost, and its release tells nothing',
      { attempts: [releasedAfterLoss('disposed')], precision: EXACT },
      [],
    ],
    ['held until the ttl that it was given last', { attempts: [extended(300)], precision: EXACT }, []],
    ['held after the ttl that it was given last', { attempts: [extended(200)], precision: EXACT }, ['S1']],
    [
      'held after its ttl, because its process stood still while it extended it',
      {
        attempts: [
          attempt('p1.1#1').asked(0).granted(10, 1).extended(90, 200, true, 190).checked(350).released(351),
        ],
        precision: EXACT,
      },
      [],
    ],
    [
      'extended after its ttl',
      {
        attempts: [
          attempt('p1.1#1')
            .asked(0, { ttl: 100 })
            .granted(10, 1)
            .extended(200, 300)
            .checked(210)
            .released(220),
        ],
        precision: EXACT,
      },
      ['S1'],
    ],
    [
      'extended after it was lost',
      {
        attempts: [
          attempt('p1.1#1').asked(0).granted(10, 1).checked(20, false).extended(30, 300).released(40, false),
        ],
      },
      ['S1'],
    ],
    [
      'not extended while it was held',
      {
        attempts: [
          attempt('p1.1#1').asked(0).granted(10, 1).extended(20, 300, false).checked(30).released(40),
        ],
      },
      ['S1'],
    ],
  ];
  it.each(cases)('%s', (_what, tiny, expected) => expect(violatedInvariants(tiny)).toEqual(expected));
});
