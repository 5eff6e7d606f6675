import { describe, expect, it } from 'vitest';
import { at, attempt } from './tiny-history.js';
import { fault, violatedInvariants, type Case } from './violated-invariants.js';

/** The session timeout is 2 s. */
const QUIET = 10_000;
const PERMITS = { mode: 'semaphore', permits: 2 } as const;
const CLOSED = { failure: 'closed', owner: 'p' } as const;
const holder = (until: number) => attempt('p1.1#1').asked(0).granted(10, 1).released(until);
const waiter = (until: number) =>
  attempt('p2.1#1')
    .asked(20)
    .granted(until, 2)
    .released(until + 10);

describe('L1, nobody waits for a lock that nobody has when the faults are over', () => {
  const cases: Case[] = [
    ['the lock was free for long', { quietFrom: QUIET, attempts: [holder(20_000), waiter(40_000)] }, ['L1']],
    ['it was granted at once', { quietFrom: QUIET, attempts: [holder(39_999), waiter(40_000)] }, []],
    ['the faults were not over', { quietFrom: 39_000, attempts: [holder(20_000), waiter(40_000)] }, []],
    [
      'only readers had it, and so does the one who waits',
      {
        quietFrom: QUIET,
        attempts: [
          attempt('p1.1#1').asked(0, { mode: 'read' }).granted(10, 1).released(40_000),
          attempt('p2.1#1').asked(20, { mode: 'read' }).granted(40_000, 2).released(40_010),
        ],
      },
      ['L1'],
    ],
    [
      'a call that only reads had it, within one that had it alone, and so does the one who waits',
      {
        quietFrom: QUIET,
        attempts: [
          attempt('p1.1#1').asked(0, { verb: 'withLock' }).granted(10, 1).released(15),
          attempt('p1.1#1+').asked(12, { mode: 'read', nestedIn: 'p1.1#1' }).granted(12, 1).released(39_999),
          attempt('p2.1#1').asked(20, { mode: 'read' }).granted(40_000, 2).released(40_010),
        ],
      },
      [],
    ],
    [
      'only readers had it, and a writer waited for them first',
      {
        quietFrom: QUIET,
        attempts: [
          attempt('p1.1#1').asked(0, { mode: 'read' }).granted(10, 1).released(39_000),
          attempt('p3.1#1').asked(15, { mode: 'write' }).granted(39_010, 2).released(40_000),
          attempt('p2.1#1').asked(20, { mode: 'read' }).granted(40_010, 3).released(40_020),
        ],
      },
      [],
    ],
    [
      'its holder had lost it, and worked on',
      {
        quietFrom: QUIET,
        attempts: [
          attempt('p1.1#1').asked(0).granted(10, 1).lost(20_000).released(40_000, false),
          waiter(40_000),
        ],
      },
      ['L1'],
    ],
    [
      'its holder had lost it, because its service closed, and worked on',
      {
        quietFrom: QUIET,
        attempts: [
          attempt('p1.1#1').asked(0).granted(10, 1).lost(20_000, 'shutdown').released(40_000, false),
          waiter(40_000),
        ],
      },
      [],
    ],
    [
      'it failed closed, and a person freed it late',
      {
        quietFrom: QUIET,
        attempts: [holder(20_000), waiter(40_000)],
        freed: [{ at: at(39_999), to: at(39_999), resource: 'r', attempt: 'p1.1#1', token: 1n }],
      },
      [],
    ],
    [
      'a call of its owner had taken it over and given it back, before a person freed it late',
      {
        quietFrom: QUIET,
        attempts: [
          attempt('p1.1#1').asked(0, CLOSED).granted(10, 2_048).released(20_000),
          attempt('p3.1#1')
            .asked(15_000, CLOSED)
            .add(41_000, { what: 'ended', attempt: 'p3.1#1', outcome: 'aborted' }),
          attempt('p2.1#1').asked(20).granted(40_000, 4_096).released(40_010),
        ],
        freed: [{ at: at(39_999), to: at(39_999), resource: 'r', attempt: 'p3.1#1', token: 2_049n }],
      },
      [],
    ],
    [
      'a third one had it meanwhile',
      {
        quietFrom: QUIET,
        attempts: [
          holder(20_000),
          attempt('p3.1#1').asked(15).granted(20_010, 2).released(39_990),
          attempt('p2.1#1').asked(20).granted(40_000, 3).released(40_010),
        ],
      },
      [],
    ],
    [
      'one of two permits was free for long (H19)',
      {
        quietFrom: QUIET,
        attempts: [
          attempt('p1.1#1').asked(0, PERMITS).granted(10, 1).released(60_000),
          attempt('p3.1#1').asked(15, PERMITS).granted(20, 2).released(20_000),
          attempt('p2.1#1').asked(20, PERMITS).granted(40_000, 3).released(40_010),
        ],
      },
      ['L1'],
    ],
    [
      'a writer waited for the other permit before it',
      {
        quietFrom: QUIET,
        attempts: [
          attempt('p1.1#1').asked(0, PERMITS).granted(10, 1).released(40_000),
          attempt('p3.1#1').asked(15, { mode: 'write' }).granted(40_010, 2).released(40_020),
          attempt('p2.1#1').asked(20, PERMITS).granted(40_030, 3).released(40_040),
        ],
      },
      [],
    ],
    ...(
      [
        [[25_000, 32_000], []],
        [[25_000], ['L1']],
      ] as const
    ).map(([stops, violations]): Case => [
      `a process was stopped meanwhile, ${stops.length} times`,
      {
        quietFrom: QUIET,
        attempts: [holder(20_000), waiter(40_000)],
        faults: stops.map((from) => fault('stop', 'p3', from, from + 1_000)),
        events: [{ at: 0n, actor: 'p3.1', what: 'warned', detail: 'is there' }],
      },
      [...violations],
    ]),
    [
      'a process was stalled meanwhile, and noticed it later',
      {
        quietFrom: QUIET,
        attempts: [holder(20_000), waiter(40_000)],
        events: [{ at: at(39_000), actor: 'p2.1', what: 'lagged', ms: 18_500 }],
      },
      [],
    ],
    [
      'a process was stopped long after that',
      {
        quietFrom: QUIET,
        attempts: [holder(20_000), waiter(40_000)],
        faults: [fault('stop', 'p2', 39_000, 39_500)],
      },
      ['L1'],
    ],
    [
      'a client of another library was in the queue',
      {
        quietFrom: QUIET,
        attempts: [holder(20_000), waiter(40_000)],
        faults: [fault('foreign', 'f1', 9_000, 9_500)],
      },
      [],
    ],
    [
      'a client of another library was in the queue, but its session must have ended',
      {
        quietFrom: QUIET,
        attempts: [holder(60_000), waiter(80_000)],
        faults: [fault('foreign', 'f1', 9_000, 9_500)],
      },
      ['L1'],
    ],
    [
      'its session began anew when the server was restarted',
      {
        quietFrom: QUIET,
        attempts: [holder(60_000), waiter(80_000)],
        faults: [fault('foreign', 'f1', 9_000, 9_500), fault('killServer', 's1', 35_000, 36_000)],
      },
      [],
    ],
    [
      'the server was restarted after its session must have ended',
      {
        quietFrom: 9_000,
        attempts: [holder(60_000), waiter(80_000)],
        faults: [fault('foreign', 'f1', 1_000, 1_500), fault('killServer', 's1', 47_000, 48_000)],
      },
      ['L1'],
    ],
  ];
  it.each(cases)('%s', (_what, tiny, expected) => expect(violatedInvariants(tiny)).toEqual(expected));
});
