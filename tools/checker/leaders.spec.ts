import { describe, expect, it } from 'vitest';
import { EXACT } from '../history/precision.js';
import { at, attempt, tinyHistory } from './tiny-history.js';
import { check } from './verdict.js';
import { violatedInvariants, type Case } from './violated-invariants.js';

const LEAD = { verb: 'lead' } as const;
const QUIET = 10_000;
const first = () => attempt('p1.1#1~1').asked(0, LEAD);
const second = (ms: number) => attempt('p1.1#1~2').asked(ms, LEAD);
const rival = () => attempt('p2.1#1~1').asked(5, LEAD);
const emitted = (ms: number, event: string) =>
  ({ what: 'emitted', attempt: 'p1.1#1~', event, at: at(ms), actor: 'p1.1' }) as const;
const left = (name: string, ms: number) =>
  ({ what: 'ended', attempt: name, outcome: 'aborted', at: at(ms), actor: 'p1.1' }) as const;

describe('leaders', () => {
  const cases: Case[] = [
    [
      'one after the other',
      { attempts: [first().granted(10, 1).released(50), rival().granted(60, 2).released(90)] },
      [],
    ],
    [
      'two at a time',
      { attempts: [first().granted(10, 1).released(80), rival().granted(60, 2).released(90)] },
      ['S1'],
    ],
    [
      'one that leads again after a loss',
      {
        attempts: [
          first().granted(10, 1).checked(20, false).released(20, false),
          rival().granted(30, 2).released(40),
          second(21).granted(60, 3).released(90),
        ],
      },
      [],
    ],
    ['a candidate that leaves while it waits', { attempts: [first()], events: [left('p1.1#1~1', 50)] }, []],
    [
      'a lock that nobody has',
      { quietFrom: QUIET, attempts: [first()], events: [left('p1.1#1~1', 50_000)] },
      ['L1'],
    ],
    [
      'a pause after a failure',
      {
        quietFrom: QUIET,
        attempts: [first()],
        events: [emitted(15_000, 'failed'), left('p1.1#1~1', 50_000)],
      },
      [],
    ],
  ];
  it.each(cases)('%s', (_what, tiny, expected) => expect(violatedInvariants(tiny)).toEqual(expected));
});

describe('the events of a candidate', () => {
  const rounds = [
    first().granted(10, 1).signalled(20).released(20, false),
    second(20).granted(40, 2).released(90),
  ];
  const cases: Case[] = [
    [
      'belong to its rounds, also those that come when it waits again',
      {
        attempts: rounds,
        events: [
          emitted(10, 'acquired'),
          { ...emitted(20, 'lost'), detail: 'session' },
          emitted(22, 'waiting'),
          emitted(40, 'acquired'),
          emitted(90, 'released'),
        ],
      },
      [],
    ],
    [
      'have one end for each hold',
      {
        attempts: rounds,
        events: [emitted(10, 'acquired'), emitted(40, 'acquired'), emitted(90, 'released')],
      },
      ['L1'],
    ],
    ['say that it leads', { attempts: [rounds[0]!], events: [emitted(9, 'failed')] }, ['L1']],
    [
      'may be failures',
      { attempts: [first()], events: [emitted(10, 'failed'), emitted(20, 'failed'), left('p1.1#1~1', 50)] },
      [],
    ],
  ];
  it.each(cases)('%s', (_what, tiny, expected) => expect(violatedInvariants(tiny, true)).toEqual(expected));
});

describe('L1, of leaders whose service begins to close', () => {
  const violations = (released: number): number => {
    const history = tinyHistory({
      attempts: [
        first()
          .granted(10, 1)
          .add(released, { what: 'signalled', attempt: 'p1.1#1~1', detail: '' })
          .released(released),
      ],
      precision: EXACT,
      ends: { 'p1.1': { to: at(500), end: 'shutDown' } },
    });
    const incarnations = history.incarnations.map((one) => ({ ...one, closingSince: at(100) }));
    return check({ ...history, incarnations, run: { ...history.run, emitsEvents: false } }).violations.length;
  };

  it('they hand over at once', () => {
    expect(violations(101)).toBe(0);
    expect(violations(300)).toBe(1);
  });
});
