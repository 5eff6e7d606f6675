import { describe, expect, it } from 'vitest';
import { EXACT } from '../history/precision.js';
import type { NewProcessEvent, ProcessEvent } from '../history/process-event.js';
import { fault, violatedInvariants, type Case } from './violated-invariants.js';
import { at } from './tiny-history.js';

interface Ending {
  readonly until?: number;
  readonly held?: boolean;
  readonly interrupted?: 'repeat' | 'skip';
  readonly fails?: boolean;
}

/** A run that begins at `ms`, works for 10 ms, and is completed 1 ms later, or fails. */
function run(
  actor: string,
  token: number,
  [scheduledAt, previous]: readonly [number, number?],
  ms: number,
  { until = 3, held = true, interrupted = 'repeat', fails = false }: Ending = {},
): ProcessEvent[] {
  const key = { token: BigInt(token) };
  const events: (readonly [number, NewProcessEvent])[] = [
    [
      ms,
      { what: 'runBegan', ...key, scheduledAt, interrupted, ...(previous === undefined ? {} : { previous }) },
    ],
    [ms + 10, { what: 'runWorked', ...key, held, ...(fails ? { fails } : {}) }],
    [ms + 11, { what: fails ? 'runFailed' : 'runCompleted', ...key }],
  ];
  return events.slice(0, until).map(([time, event]) => ({ at: at(time), actor, ...event }));
}

/** It was killed, or failed without a word. */
const INTERRUPTED = { until: 1 };
const first = run('p1.1', 1, [1_000], 10);
/** The token of another contender. */
const NEXT = 2_049;
const LATE = [...run('p1.1', 1, [1_000], 30, INTERRUPTED), ...run('p2.1', NEXT, [1_000], 15)];
const deletion = { ...fault('contenderDeletion', 'p1', 12, 12), token: 1n };
const failed = run('p1.1', 1, [1_000], 10, { fails: true });

describe('J1, each scheduled time is completed once', () => {
  const cases: Case[] = [
    ['one after the other', { events: [...first, ...run('p2.1', 2, [2_000, 1_000], 30)] }, []],
    ['twice', { events: [...first, ...run('p2.1', 2, [1_000, 1_000], 30)] }, ['J1']],
    ['an earlier one afterwards', { events: [...first, ...run('p2.1', 2, [500, 1_000], 30)] }, ['J1']],
    ['after a run that forgot it', { events: [...first, ...run('p2.1', 2, [2_000], 30)] }, ['J1']],
    ['during a run', { events: [...first, ...run('p2.1', 2, [2_000, 1_000], 15)] }, ['J1']],
    [
      'during a run that was killed while it had the lock, before it was completed',
      { events: [...run('p1.1', 1, [1_000], 10, { until: 2 }), ...run('p2.1', NEXT, [2_000, 1_000], 15)] },
      ['J1'],
    ],
    [
      'the same, of a run whose contender an operator had deleted',
      {
        events: [...run('p1.1', 1, [1_000], 10, { until: 2 }), ...run('p2.1', NEXT, [2_000, 1_000], 15)],
        faults: [deletion],
      },
      [],
    ],
    [
      'during the work of a run that had lost its lock',
      {
        events: [
          ...run('p1.1', 1, [1_000], 10, { until: 2, held: false }),
          ...run('p2.1', NEXT, [2_000, 1_000], 15),
        ],
      },
      [],
    ],
    [
      'with a token of the past',
      { events: [...run('p1.1', 2, [1_000], 10), ...run('p2.1', 1, [900], 30)], precision: EXACT },
      ['J1', 'J1', 'J1'],
    ],
    ['without its lock', { events: run('p1.1', 1, [1_000], 10, { held: false }) }, ['J1']],
    [
      'again after an interrupted run',
      { events: [...run('p1.1', 1, [1_000], 10, INTERRUPTED), ...run('p2.1', 2, [1_000], 30)] },
      [],
    ],
    [
      'after an interrupted run that was completed after all',
      { events: [...run('p1.1', 1, [1_000], 10, INTERRUPTED), ...run('p2.1', 2, [2_000, 1_000], 30)] },
      [],
    ],
    ['again after a run that failed', { events: [...failed, ...run('p2.1', 2, [1_000], 30)] }, ['J1', 'J1']],
    [
      'again after a run that failed, and may not have reached the servers',
      {
        events: [...failed, ...run('p2.1', 2, [1_000], 30)],
        faults: [fault('stall', 'p1', 15, 25)],
      },
      [],
    ],
    [
      'after one that failed without its lock, as if it was complete',
      {
        events: [
          ...run('p1.1', 1, [1_000], 10, { held: false, fails: true, until: 2 }),
          ...run('p2.1', 2, [2_000, 1_000], 30),
        ],
      },
      ['J1'],
    ],
    [
      'again after an interrupted run of a job that skips those',
      {
        events: [
          ...run('p1.1', 1, [1_000], 10, { ...INTERRUPTED, interrupted: 'skip' }),
          ...run('p2.1', 2, [1_000], 30, { interrupted: 'skip' }),
        ],
      },
      ['J1', 'J1'],
    ],
    [
      'after one that did not begin, of a job that skips those',
      {
        events: [
          ...run('p1.1', 1, [1_000], 10, { interrupted: 'skip' }),
          ...run('p2.1', 2, [3_000, 2_000], 30, { interrupted: 'skip' }),
        ],
      },
      [],
    ],
    [
      'during a run whose contender an operator has deleted, and that was completed nevertheless',
      { events: [...first, ...run('p2.1', NEXT, [2_000, 1_000], 15)], faults: [deletion] },
      ['J1'],
    ],
    [
      'the same, of a job that skips interrupted runs',
      {
        events: [
          ...run('p1.1', 1, [1_000], 10, { interrupted: 'skip' }),
          ...run('p2.1', NEXT, [2_000, 1_000], 15, { interrupted: 'skip' }),
        ],
        faults: [deletion],
      },
      [],
    ],
    ['before one with a smaller token', { events: LATE, precision: EXACT }, ['J1']],
    [
      'before one with a smaller token, whose process stood still after it had last looked at the clock',
      { events: LATE, precision: EXACT, faults: [fault('preempt', 'p1', 12, 30)] },
      [],
    ],
    [
      'before one with a smaller token, whose process had stood still earlier',
      {
        events: [{ at: at(9), actor: 'p1.1', what: 'lagged', ms: 4 }, ...LATE],
        precision: EXACT,
        faults: [fault('preempt', 'p1', 5, 9)],
      },
      ['J1'],
    ],
    [
      'before one with a smaller token that had not heard that an operator had deleted its contender',
      {
        events: LATE,
        precision: EXACT,
        faults: [deletion],
      },
      [],
    ],
    [
      'again after one that failed, whose contender an operator had deleted',
      { events: [...failed, ...run('p2.1', NEXT, [1_000], 30)], faults: [deletion] },
      [],
    ],
    [
      'twice, after the servers lost their data',
      {
        events: [...first, ...run('p2.1', 2, [1_000], 30)],
        faults: [fault('dataLoss', 's1', 24, 25)],
      },
      [],
    ],
  ];
  it.each(cases)('%s', (_what, tiny, expected) => expect(violatedInvariants(tiny)).toEqual(expected));
});

describe('L1, the job goes on when the faults are over', () => {
  const history = { events: first, awaitsJob: true };
  const cases: Case[] = [
    ['it does', { ...history, quietFrom: 15 }, []],
    ['it does not', { ...history, quietFrom: 25 }, ['L1']],
    [
      'it does not, as all processes have ended',
      { ...history, quietFrom: 25, ends: { 'p1.1': { to: at(22), end: 'killed' } } },
      [],
    ],
    [
      'it does not, since the servers have lost their data',
      { ...history, quietFrom: 25, faults: [fault('dataLoss', 's1', 21, 22)] },
      ['L1'],
    ],
    ['it need not', { ...history, awaitsJob: false, quietFrom: 25 }, []],
  ];
  it.each(cases)('%s', (_what, tiny, expected) => expect(violatedInvariants(tiny)).toEqual(expected));
});
