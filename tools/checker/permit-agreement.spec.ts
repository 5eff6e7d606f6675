import { expect, it } from 'vitest';
import { EXACT } from '../history/precision.js';
import { attempt, request, type TinyAttempt } from './tiny-history.js';
import { fault, violatedInvariants, type Case } from './violated-invariants.js';

const holder = (from = 10_000): TinyAttempt =>
  attempt('p1.1#1')
    .asked(from, { mode: 'semaphore', permits: 3 })
    .granted(from + 10, 2_048)
    .released(20_000);
const asks = (permits: number): TinyAttempt =>
  attempt('p2.1#1').asked(11_000, { mode: 'semaphore', permits });
const granted = (permits: number): TinyAttempt => asks(permits).granted(11_010, 4_096).released(11_020);
const refused = (permits: number): TinyAttempt =>
  asks(permits).add(11_010, { what: 'ended', attempt: 'p2.1#1', outcome: 'otherPermits' });
const change = { events: request('p3.1?1', 10_500, 10_510, { permits: 4 }) };
const cases: Case[] = [
  ['the number that there is', { attempts: [holder(), granted(3)] }, []],
  ['another number', { attempts: [holder(), granted(4)] }, ['L1']],
  ['another number, with nobody in the queue', { attempts: [holder(11_005), granted(4)] }, []],
  ['another number, refused', { attempts: [holder(), refused(4)] }, []],
  ['the number that there is, refused', { attempts: [holder(), refused(3)] }, ['L1']],
  ['the new number', { attempts: [holder(), granted(4)], ...change }, []],
  ['the new number, refused', { attempts: [holder(), refused(4)], ...change }, ['L1']],
  ['the number before it', { attempts: [holder(), granted(3)], ...change }, ['L1']],
  ['the number before it, refused', { attempts: [holder(), refused(3)], ...change }, []],
  [
    'the new number, with a call that is nested in one that has seen the number before it',
    {
      attempts: [
        holder(),
        attempt('p1.1#1+')
          .asked(10_900, { mode: 'semaphore', permits: 3, nestedIn: 'p1.1#1' })
          .granted(10_900, 2_048)
          .released(19_000),
        granted(4),
      ],
      ...change,
    },
    [],
  ],
  [
    'either of them during the change',
    { attempts: [holder(), granted(4)], events: request('p3.1?1', 10_900, 11_005, { permits: 4 }) },
    [],
  ],
  [
    'another number, after the loss of all data',
    { attempts: [holder(), granted(4)], faults: [fault('dataLoss', 's1', 10_500, 10_600)] },
    [],
  ],
];

it.each(cases)('L1, a call for a semaphore names a number of permits: %s', (_name, history, expected) => {
  const found = violatedInvariants({ ...history, precision: EXACT });
  expect(found).toEqual(expected);
});
