import { expect, it } from 'vitest';
import { EXACT } from '../history/precision.js';
import type { RequestOutcome } from '../history/process-event.js';
import { at, attempt, connection, request, type TinyAttempt } from './tiny-history.js';
import { fault, violatedInvariants, type Case } from './violated-invariants.js';

const holder = (options: Parameters<TinyAttempt['asked']>[1] = {}): TinyAttempt =>
  attempt('p1.1#1').asked(5_000, options).granted(5_010, 2_048).released(20_000);
const answered = (outcome: RequestOutcome, from = 10_000, to = 10_020): Pick<Case[1], 'events'> => ({
  events: request('p2.1?1', from, to, { outcome }),
});
const ready = connection('p2.1', 1_000, 'ready');
const cases: Case[] = [
  ['late, because there was no session before', { ...answered('nobody', 500, 1_010) }, []],
  [
    'somebody has the lock',
    { attempts: [holder().emitted(10_050, 'revokeRequested')], ...answered('stored') },
    [],
  ],
  ['nobody has the lock', { ...answered('nobody') }, []],
  ['nobody, but somebody has it all the time', { attempts: [holder()], ...answered('nobody') }, ['L1']],
  [
    'nobody, but somebody has it who was granted one of more permits than there are now',
    {
      attempts: [holder({ mode: 'semaphore', permits: 3 })],
      events: [
        ...request('p2.1?1', 10_000, 10_020, { outcome: 'nobody' }),
        ...request('p2.1?2', 9_000, 9_020, { permits: 1 }),
      ],
    },
    [],
  ],
  [
    'nobody, and its holder came meanwhile',
    { attempts: [holder()], ...answered('nobody', 5_000, 5_020) },
    [],
  ],
  [
    'nobody, because an operator has deleted the node',
    {
      attempts: [holder()],
      ...answered('nobody'),
      faults: [fault('contenderDeletion', 'p1.1#1', 9_990, 9_995)],
    },
    [],
  ],
  ['refused, undisturbed', { attempts: [holder()], ...answered('unavailable') }, ['L1']],
  [
    'refused, because only the holder may write its node',
    { attempts: [holder()], ...answered('unavailable'), foreign: ['p1.1'], privateOnes: ['p1.1'] },
    [],
  ],
  [
    'refused, although only another client of another library is like that',
    {
      attempts: [holder()],
      ...answered('unavailable'),
      foreign: ['p1.1', 'p3.1'],
      privateOnes: ['p3.1'],
    },
    ['L1'],
  ],
  [
    'nobody has permits, but somebody has one all the time',
    {
      attempts: [holder({ mode: 'semaphore', permits: 2 })],
      events: request('p2.1?1', 10_000, 10_020, { outcome: 'nobody', permits: 3 }),
    },
    ['L1'],
  ],
  [
    'nobody has permits, because the lock is not a semaphore',
    { attempts: [holder()], events: request('p2.1?1', 10_000, 10_020, { outcome: 'nobody', permits: 3 }) },
    [],
  ],
  [
    'refused, because the lock has no queue',
    { attempts: [holder({ fair: false })], ...answered('refused') },
    [],
  ],
  ['refused, although the lock has a queue', { attempts: [holder()], ...answered('refused') }, ['L1']],
  ['an error that is not documented', { ...answered('untyped') }, ['L1']],
  ['as if the service was closed', { ...answered('closed') }, ['L1']],
  [
    'the service closes',
    {
      ...answered('closed'),
      ends: { 'p2.1': { to: at(10_500), end: 'shutDown', closingSince: at(10_010) } },
    },
    [],
  ],
  ['late', { ...answered('nobody', 10_000, 10_600) }, ['L1']],
  [
    'late, without contact',
    { ...answered('nobody', 10_000, 10_600), faults: [fault('stall', 'p2', 10_000, 10_500)] },
    [],
  ],
  ['without contact, although there was contact', { ...answered('unavailable') }, ['L1']],
  ['without contact', { ...answered('unavailable'), faults: [fault('stall', 's1', 9_000, 10_010)] }, []],
  ['never', { events: request('p2.1?1', 10_000), faults: [fault('stall', 'p2', 10_000, 10_500)] }, ['L1']],
  [
    'never, because its process was killed',
    { events: request('p2.1?1', 10_000), ends: { 'p2.1': { to: at(10_010), end: 'killed' } } },
    [],
  ],
];

it.each(cases)('L1, a request to release a lock returns: %s', (_name, history, expected) => {
  const events = [ready, ...(history.events ?? [])];
  const found = violatedInvariants({ ...history, events, precision: EXACT });
  expect(found).toEqual(expected);
});
