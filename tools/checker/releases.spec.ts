import { expect, it } from 'vitest';
import { EXACT } from '../history/precision.js';
import type { Verb } from '../history/process-event.js';
import { at, attempt, connection, type TinyAttempt } from './tiny-history.js';
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
/** Of a process with one session, which had contact from 10 ms on. */
const withContact = (...later: readonly [ms: number, state: 'suspended' | 'resumed'][]) => {
  const states = [[10, 'ready'], ...later] as const;
  const events = states.map(([ms, state]) => connection('p1.1', ms, state));
  return { events, faults: [STALL], hasOneSession: true };
};
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
  ['late, with contact', { attempts: [releasedAfter(1_900)], ...withContact() }, []],
  [
    'when contact is lost',
    { attempts: [releasedAfter(1_050)], ...withContact([END + 1_000, 'suspended']) },
    [],
  ],
  [
    'after contact is lost',
    { attempts: [releasedAfter(1_051)], ...withContact([END + 1_000, 'suspended']) },
    ['L1'],
  ],
  [
    'after contact was lost for a moment',
    {
      attempts: [releasedAfter(1_100)],
      ...withContact([END + 1_000, 'suspended'], [END + 1_010, 'resumed']),
    },
    ['L1'],
  ],
  ['at once, without contact', { attempts: [releasedAfter(50)], ...withContact([9_900, 'suspended']) }, []],
  ['late, without contact', { attempts: [releasedAfter(51)], ...withContact([9_900, 'suspended']) }, ['L1']],
  [
    'late, after contact was lost before it',
    { attempts: [releasedAfter(1_900)], ...withContact([9_900, 'suspended'], [9_990, 'resumed']) },
    [],
  ],
  [
    'late, perhaps on another session than that without contact',
    {
      attempts: [releasedAfter(1_900)],
      ...withContact([9_900, 'suspended']),
      hasOneSession: false,
    },
    [],
  ],
  ['when contact is back', { attempts: [releasedAfter(5_000)], faults: [STALL] }, ['L1']],
  ['when contact is back, by hand', { attempts: [releasedAfter(5_000, 'lock')], faults: [STALL] }, []],
];

it.each(cases)('L1, a release returns: %s', (_name, history, expected) => {
  expect(violatedInvariants({ ...history, precision: EXACT })).toEqual(expected);
});
