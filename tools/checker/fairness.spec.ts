import { describe, expect, it } from 'vitest';
import { EXACT } from '../history/precision.js';
import { violatedInvariants, fault, type Case } from './violated-invariants.js';
import { at, attempt, connection, type TinyAttempt } from './tiny-history.js';

const PERMITS = { mode: 'semaphore', permits: 2 } as const;

describe('F1, waiters are served in order of arrival', () => {
  const early = (): TinyAttempt => attempt('p1.1#1').asked(0).emitted(10, 'waiting');
  const late = attempt('p2.1#1').asked(20).granted(30, 2).released(40);
  const expired = connection('p1.1', 25, 'sessionExpired');
  const cases: Case[] = [
    ['in order', { attempts: [early().granted(15, 1).released(18), late] }, []],
    ['overtaken', { attempts: [early().granted(50, 3).released(60), late] }, ['F1']],
    [
      'a reader overtaken by a reader',
      {
        attempts: [
          attempt('p1.1#1').asked(0, { mode: 'read' }).emitted(10, 'waiting').granted(50, 1).released(60),
          attempt('p2.1#1').asked(20, { mode: 'read' }).granted(30, 2).released(40),
        ],
      },
      [],
    ],
    ...(
      [
        ['at once', 1_000, []],
        ['', 1_500, ['F1']],
      ] as const
    ).map(([how, ms, violations]): Case => [
      `a waiter for a permit overtaken by another one ${how}`,
      {
        attempts: [
          attempt('p1.1#1').asked(0, PERMITS).emitted(10, 'waiting').granted(ms, 1).released(2_000),
          attempt('p2.1#1').asked(20, PERMITS).granted(30, 2).released(2_000),
        ],
        precision: EXACT,
      },
      [...violations],
    ]),
    [
      'a writer overtaken by a reader',
      {
        attempts: [
          early().granted(50, 3).released(60),
          attempt('p2.1#1').asked(20, { mode: 'read' }).granted(30, 2).released(40),
        ],
      },
      ['F1'],
    ],
    [
      'overtaken after losing its place',
      { attempts: [early().emitted(45, 'waiting', true).granted(50, 3).released(60), late] },
      [],
    ],
    [
      'overtaken before its service was connected to all ensembles',
      {
        attempts: [early().granted(50, 3).released(60), late],
        events: [{ ...expired, state: 'ready', at: at(45) }],
      },
      [],
    ],
    [
      'overtaken while its service was not connected to all ensembles',
      { attempts: [early().granted(50, 3).released(60), late], events: [{ ...expired, at: at(5) }] },
      [],
    ],
    [
      'overtaken after its service was connected to all ensembles',
      {
        attempts: [early().granted(50, 3).released(60), late],
        events: [
          { ...expired, at: at(5) },
          { ...expired, state: 'ready', at: at(8) },
        ],
      },
      ['F1'],
    ],
    [
      'overtaken after its session had expired',
      { attempts: [early().granted(50, 3).released(60), late], events: [expired] },
      [],
    ],
    [
      'overtaken after a duplicate had ended its session, before it knew',
      {
        attempts: [early().granted(50, 1).released(51), late],
        faults: [fault('sessionExpiry', 'p1', 25, 26)],
      },
      [],
    ],
    [
      'overtaken after an operator had deleted a contender whose record names nobody',
      {
        attempts: [early().granted(50, 3).released(60), late],
        faults: [{ ...fault('contenderDeletion', '', 25, 25), attempt: undefined }],
      },
      [],
    ],
    [
      'overtaken before an operator deleted such a contender',
      {
        attempts: [early().granted(50, 3).released(60), late],
        faults: [{ ...fault('contenderDeletion', '', 55, 55), attempt: undefined }],
      },
      ['F1'],
    ],
    [
      'overtaken after the servers had lost their data',
      {
        attempts: [
          early().granted(50, 1).released(51),
          attempt('p2.1#1').asked(27).granted(30, 2).released(40),
        ],
        faults: [fault('dataLoss', 's1', 25, 26)],
      },
      [],
    ],
    [
      'overtaken, then timed out',
      {
        attempts: [
          attempt('p1.1#1')
            .asked(0, { wait: 45 })
            .emitted(10, 'waiting')
            .add(50, { what: 'ended', attempt: 'p1.1#1', outcome: 'timedOut' }),
          late,
        ],
      },
      [],
    ],
  ];
  it.each(cases)('%s', (_what, tiny, expected) => expect(violatedInvariants(tiny)).toEqual(expected));
});

describe('F1, between processes whose callers share a place in the queue', () => {
  const TURN = 2_048;
  const waiting = (): TinyAttempt =>
    attempt('p1.1#1')
      .asked(0)
      .emitted(1, 'waiting')
      .granted(900, 9 * TURN)
      .released(910);
  /** The name of its place is that of a caller that has given up. */
  const sharing = attempt('p1.1#7').asked(0).add(2, { what: 'ended', attempt: 'p1.1#7', outcome: 'aborted' });
  const early = attempt('p2.1#1').asked(0).granted(0.5, TURN).released(50);
  const next = (n: number, asked: number, token: number): TinyAttempt =>
    attempt(`p2.1#${n}`)
      .asked(asked)
      .granted(asked + 1, token)
      .released(asked + 5);
  const cases: Case[] = [
    ['one later turn of another process', { attempts: [waiting(), next(2, 100, 2 * TURN)] }, []],
    [
      'callers of one later turn',
      { attempts: [waiting(), next(2, 100, 2 * TURN), next(3, 200, 2 * TURN + 1)] },
      [],
    ],
    ['two later turns', { attempts: [waiting(), next(2, 100, 2 * TURN), next(3, 200, 3 * TURN)] }, ['F1']],
    [
      'two later turns, after an operator had deleted the place that it shared with another caller',
      {
        attempts: [waiting(), sharing, next(2, 100, 2 * TURN), next(3, 200, 3 * TURN)],
        faults: [fault('contenderDeletion', 'p1.1#7', 80, 81)],
      },
      [],
    ],
    [
      'two later turns, after an operator had deleted that place before it asked',
      {
        attempts: [sharing, waiting(), next(2, 100, 2 * TURN), next(3, 200, 3 * TURN)],
        faults: [fault('contenderDeletion', 'p1.1#7', 0.1, 0.2)],
      },
      [],
    ],
    [
      'two later turns, after an operator had deleted a place, and the process had a new one',
      {
        attempts: [
          attempt('p1.1#6').asked(0).granted(0.5, TURN).released(0.6),
          sharing,
          waiting(),
          next(2, 100, 2 * TURN),
          next(3, 200, 3 * TURN),
        ],
        faults: [fault('contenderDeletion', 'p1.1#7', 0.1, 0.2)],
      },
      ['F1'],
    ],
    [
      'two later turns, after an operator had deleted a place in another queue',
      {
        attempts: [
          waiting(),
          attempt('p1.1#7')
            .asked(0, { resource: 'another' })
            .add(2, { what: 'ended', attempt: 'p1.1#7', outcome: 'aborted' }),
          next(2, 100, 2 * TURN),
          next(3, 200, 3 * TURN),
        ],
        faults: [fault('contenderDeletion', 'p1.1#7', 80, 81)],
      },
      ['F1'],
    ],
    [
      'a hand-over that is allowed, and one later turn',
      { attempts: [waiting(), next(2, 100, 2 * TURN), next(3, 200, 3 * TURN)], handOver: 1 },
      [],
    ],
    [
      'hand-overs that are allowed, and two later turns',
      {
        attempts: [waiting(), next(2, 100, 2 * TURN), next(3, 200, 3 * TURN), next(4, 300, 4 * TURN)],
        handOver: 2,
      },
      ['F1'],
    ],
    [
      'a turn that goes on before it can be known that another process waits',
      { attempts: [early, waiting(), next(2, 60, TURN + 1)] },
      [],
    ],
    [
      'a turn that goes on when that must be known',
      { attempts: [early, waiting(), next(2, 700, TURN + 1)], precision: EXACT },
      ['F1'],
    ],
    [
      'one hand-over that is allowed',
      { attempts: [early, waiting(), next(2, 700, TURN + 1)], precision: EXACT, handOver: 1 },
      [],
    ],
    [
      'more hand-overs than allowed',
      {
        attempts: [early, waiting(), next(2, 700, TURN + 1), next(3, 720, TURN + 2)],
        precision: EXACT,
        handOver: 1,
      },
      ['F1'],
    ],
    [
      'the same of a process without a connection',
      {
        attempts: [early, waiting(), next(2, 700, TURN + 1)],
        precision: EXACT,
        faults: [fault('cutOff', 'p2', 10, 800)],
      },
      [],
    ],
  ];
  it.each(cases)('%s', (_what, tiny, expected) => {
    const found = violatedInvariants({ ...tiny, localQueue: true });
    expect(found.filter((invariant) => invariant === 'F1')).toEqual(expected);
  });
});
