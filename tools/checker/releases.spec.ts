import { expect, it } from 'vitest';
import { EXACT } from '../history/precision.js';
import type { Verb } from '../history/process-event.js';
import { at, attempt, type TinyAttempt } from './tiny-history.js';
import { fault, violatedInvariants, type Case } from './violated-invariants.js';

/** The session timeout is 2 s, with two ticks of 0.5 s. */
const END = 10_000;
const STALL = fault('stall', 'p1', 9_000, 20_000);
const releasedAfter = (ms: number, verb: Verb = 'withLock'): TinyAttempt =>
  attempt('p1.1#1')
    .asked(9_000, { verb })
    .granted(9_010, 1)
    .add(END, { what: 'releasing', attempt: 'p1.1#1', held: true })
    .add(END + ms, { what: 'released', attempt: 'p1.1#1', outcome: 'kept' });
const cases: Case[] = [
  ['at once', { attempts: [releasedAfter(50)] }, []],
  ['late, undisturbed', { attempts: [releasedAfter(51)] }, ['L1']],
  ['late, undisturbed and by hand', { attempts: [releasedAfter(51, 'lock')] }, ['L1']],
  [
    'late, because its process stood still',
    { attempts: [releasedAfter(90)], events: [{ at: at(END + 90), actor: 'p1.1', what: 'lagged', ms: 50 }] },
    [],
  ],
  ['late, with a disturbance', { attempts: [releasedAfter(1_500)], faults: [STALL] }, []],
  ['late, behind the replies to earlier requests', { attempts: [releasedAfter(1_900)], faults: [STALL] }, []],
  ['when contact is back', { attempts: [releasedAfter(5_000)], faults: [STALL] }, ['L1']],
  ['when contact is back, by hand', { attempts: [releasedAfter(5_000, 'lock')], faults: [STALL] }, []],
];

it.each(cases)('L1, a release returns: %s', (_name, history, expected) => {
  expect(violatedInvariants({ ...history, precision: EXACT })).toEqual(expected);
});
