import { expect, it } from 'vitest';
import { EXACT } from '../history/precision.js';
import { at, attempt, type TinyAttempt } from './tiny-history.js';
import { fault, violatedInvariants, type Case } from './violated-invariants.js';

const holder = (options: Parameters<TinyAttempt['asked']>[1] = {}): TinyAttempt =>
  attempt('p1.1#1')
    .asked(0, { minHold: 100, ...options })
    .granted(10, 2_048)
    .released(20);
const outer = (options: Parameters<TinyAttempt['asked']>[1] = {}): TinyAttempt =>
  attempt('p1.1#1').asked(0, options).granted(5, 2_048).released(30);
const nested = (): TinyAttempt =>
  attempt('p1.1#1+').asked(8, { nestedIn: 'p1.1#1', minHold: 100 }).granted(10, 2_048).released(20);
const next = (grantedAt: number, options: Parameters<TinyAttempt['asked']>[1] = {}): TinyAttempt =>
  attempt('p2.1#1').asked(5, options).granted(grantedAt, 4_096).released(500);
const cases: Case[] = [
  ['after it', { attempts: [holder(), next(111)] }, []],
  ['before it has passed', { attempts: [holder(), next(90)] }, ['L1']],
  ['before it has passed, by a clock that is a little fast', { attempts: [holder(), next(108)] }, []],
  ['among readers', { attempts: [holder({ mode: 'read' }), next(90, { mode: 'read' })] }, []],
  [
    'after a grant of which its process has learned too late',
    {
      attempts: [
        attempt('p1.1#1').asked(0, { minHold: 100 }).granted(10, 2_048, false).released(200, false),
        next(15),
      ],
      faults: [fault('preempt', 'p1', 5, 190)],
    },
    [],
  ],
  ['after a loss', { attempts: [holder().lost(50, 'session'), next(90)] }, []],
  ['after a loss that is reported too late', { attempts: [holder().lost(300, 'session'), next(90)] }, ['L1']],
  [
    'after a loss that a stopped process reports when it continues',
    {
      attempts: [holder().lost(300, 'session'), next(90)],
      events: [{ at: at(300), actor: 'p1.1', what: 'lagged', ms: 250 }],
      faults: [fault('pause', 'p1', 50, 300)],
    },
    [],
  ],
  [
    'after the death of the holder',
    { attempts: [holder(), next(90)], ends: { 'p1.1': { to: at(30), end: 'killed' } } },
    [],
  ],
  [
    'after its service began to close',
    {
      attempts: [holder(), next(90)],
      ends: { 'p1.1': { to: at(300), end: 'shutDown', closingSince: at(40) } },
    },
    [],
  ],
  [
    'after an operator has deleted the node',
    { attempts: [holder(), next(90)], faults: [fault('contenderDeletion', 'p1.1#1', 40, 40)] },
    [],
  ],
  ['before that of a nested call has passed', { attempts: [outer(), nested(), next(90)] }, ['L1']],
  [
    'before that of a nested call has passed, and after the ttl of the one around it',
    { attempts: [outer({ ttl: 60 }), nested(), next(90)] },
    [],
  ],
  [
    'by a nested call in a hold from before the servers lost their data',
    {
      attempts: [
        attempt('p2.1#1').asked(0).granted(2, 4_096).released(60),
        attempt('p1.1#1').asked(6, { minHold: 100 }).granted(10, 2_048).released(20),
        attempt('p2.1#1+').asked(40, { nestedIn: 'p2.1#1' }).granted(41, 4_096).released(50),
      ],
      faults: [fault('dataLoss', 's1', 3, 4)],
    },
    [],
  ],
  [
    'by the time of its acquisition, which the process has recorded later',
    { attempts: [holder().emitted(2, 'acquired'), next(105)] },
    [],
  ],
];

it.each(cases)('L1, others have the lock of a hold with minHold: %s', (_name, history, expected) => {
  const found = violatedInvariants({ ...history, precision: EXACT });
  expect(found).toEqual(expected);
});
