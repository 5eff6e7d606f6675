import { expect, it } from 'vitest';
import { EXACT, REAL_TIME } from '../history/precision.js';
import { at, attempt, connection, request, type TinyAttempt } from './tiny-history.js';
import { fault, violatedInvariants, type Case } from './violated-invariants.js';

type Options = Parameters<TinyAttempt['asked']>[1];

const holder = (options: Options = {}): TinyAttempt =>
  attempt('p1.1#1').asked(10_000, options).granted(10_010, 2_048).released(20_000);
const waiter = (grantedAt: number, options: Options = {}): TinyAttempt =>
  attempt('p2.1#1')
    .asked(11_000, options)
    .emitted(11_010, 'waiting')
    .granted(grantedAt, 4_096)
    .released(grantedAt + 10);
/** It has a session with each of its ensembles. */
const ready = (actor: string, ms: number) => connection(actor, ms, 'ready');
/** A client of another library, from its call and its grant to its end. */
const foreigner = (asked: number, from: number, to: number, token: number): TinyAttempt =>
  attempt('f1.1#1').asked(asked).granted(from, token).released(to);
const READY = ['p1.1', 'p2.1', 'p3.1'].map((actor) => ready(actor, 9_000));
const READ = { mode: 'read' } as const;
const PERMITS = { mode: 'semaphore', permits: 2 } as const;
const ONE = { mode: 'semaphore', permits: 1 } as const;
/** Somebody asks for several locks when the servers start, and has one of them long before it is told that it waits for another. */
const WHILE_SERVERS_START = {
  events: [ready('p1.1', 50), ready('p2.1', 50)],
  attempts: [
    attempt('p1.1#1/r').asked(100).emitted(1_490, 'waiting').granted(1_700, 3_072).released(1_800),
    attempt('p1.1#1/s')
      .asked(100, { resource: 's' })
      .emitted(1_490, 'acquired')
      .granted(1_700, 1_024)
      .released(1_800),
    attempt('p2.1#1').asked(200).emitted(210, 'waiting').granted(1_501, 2_048).released(1_600),
  ],
};
const cases: Case[] = [
  [
    'when a call for several locks has got a further session from servers that start',
    { ...WHILE_SERVERS_START, hasOneSession: false },
    [],
  ],
  [
    'when a call for several locks waits, which needs no further session from servers that start',
    { ...WHILE_SERVERS_START, hasOneSession: true },
    ['L1'],
  ],
  [
    'when the session of a process that was killed has ended',
    {
      attempts: [attempt('p1.1#1').asked(1_000).granted(1_010, 2_048).released(1_020), waiter(12_000)],
      ends: { 'p1.1': { to: at(10_900), end: 'killed' } },
      faults: [fault('killHolder', 'p1', 10_900, 11_000)],
      linger: 60_000,
    },
    [],
  ],
  [
    'long after a process was killed that had left the lock before, and does not let it linger',
    {
      attempts: [attempt('p1.1#1').asked(1_000).granted(1_010, 2_048).released(1_020), waiter(12_000)],
      ends: { 'p1.1': { to: at(10_900), end: 'killed' } },
      faults: [fault('killHolder', 'p1', 10_900, 11_000)],
    },
    ['L1'],
  ],
  [
    'when a process has contact again that has released it without, because it fails closed',
    {
      attempts: [holder({ failure: 'closed' }), waiter(26_000)],
      faults: [fault('pauseUnheard', 'p1', 17_000, 26_000)],
    },
    [],
  ],
  ['at once', { attempts: [holder(), waiter(20_150)] }, []],
  ['much later', { attempts: [holder(), waiter(20_200)] }, ['L1']],
  [
    'when it has a session',
    { attempts: [holder(), waiter(20_200)], events: [ready('p1.1', 9_000), ready('p2.1', 20_150)] },
    [],
  ],
  [
    'when it has contact again',
    {
      attempts: [holder(), waiter(20_200)],
      events: [...READY, connection('p2.1', 12_000, 'suspended'), connection('p2.1', 20_150, 'resumed')],
    },
    [],
  ],
  [
    'long after it has had contact again',
    {
      attempts: [holder(), waiter(30_000)],
      events: [...READY, connection('p2.1', 12_000, 'suspended'), connection('p2.1', 20_150, 'resumed')],
    },
    ['L1'],
  ],
  [
    'long after somebody left who had been disturbed before',
    {
      attempts: [
        attempt('p3.1#1').asked(9_100).granted(9_110, 1_024).released(9_200),
        holder(),
        waiter(20_200),
      ],
      events: [...READY, connection('p3.1', 9_300, 'suspended')],
    },
    ['L1'],
  ],
  [
    'when somebody before it has a session',
    { attempts: [holder(), waiter(20_200)], events: [ready('p1.1', 20_150), ready('p2.1', 9_000)] },
    [],
  ],
  ['much later, in real time', { attempts: [holder(), waiter(20_200)], precision: REAL_TIME }, []],
  [
    'much later, and somebody had it meanwhile',
    {
      attempts: [
        holder(),
        attempt('p3.1#1').asked(10_500).emitted(10_510, 'waiting').granted(20_010, 3_072).released(20_190),
        waiter(20_200),
      ],
    },
    [],
  ],
  [
    'never, and its wait ends',
    {
      attempts: [
        holder(),
        attempt('p2.1#1')
          .asked(11_000, { wait: 20_000 })
          .emitted(11_010, 'waiting')
          .add(31_000, { what: 'ended', attempt: 'p2.1#1', outcome: 'timedOut' }),
      ],
    },
    ['L1'],
  ],
  [
    'when the work of a holder ends whose ttl had passed',
    {
      attempts: [
        attempt('p1.1#1').asked(10_000).granted(10_010, 2_048).lost(15_000).released(20_000, false),
        waiter(20_010),
      ],
    },
    ['L1'],
  ],
  [
    'when the work ends of a call that has returned at a shutdown',
    {
      attempts: [
        attempt('p1.1#1')
          .asked(10_000, { verb: 'withLock' })
          .granted(10_010, 2_048)
          .lost(12_000, 'shutdown')
          .add(12_000, { what: 'released', attempt: 'p1.1#1', outcome: 'lost' })
          .add(20_000, { what: 'releasing', attempt: 'p1.1#1', held: false }),
        waiter(20_010),
      ],
    },
    [],
  ],
  [
    'after a shutdown has left it taken, because it fails closed and the work went on',
    {
      attempts: [
        attempt('p1.1#1')
          .asked(10_000, { verb: 'withLock', failure: 'closed', owner: 'a' })
          .granted(10_010, 2_048)
          .lost(12_000, 'shutdown')
          .add(12_000, { what: 'released', attempt: 'p1.1#1', outcome: 'lost' })
          .add(14_000, { what: 'releasing', attempt: 'p1.1#1', held: false }),
        waiter(20_000),
      ],
      ends: { 'p1.1': { to: at(13_000), end: 'shutDown', closingSince: at(11_500) } },
    },
    [],
  ],
  [
    'when a call was killed that had one of several closed locks, and waited for the others',
    {
      attempts: [
        attempt('p1.1#1/r')
          .asked(10_000, { verb: 'withLock', failure: 'closed', owner: 'a' })
          .emitted(10_010, 'acquired'),
        waiter(40_000),
      ],
      ends: { 'p1.1': { to: at(20_000), end: 'killed' } },
    },
    [],
  ],
  [
    'when a call that was killed had taken the lock unnoticed, its owner had taken it over and given it back, and a person freed it',
    {
      attempts: [
        attempt('p1.1#1/r')
          .asked(10_000, { failure: 'closed', owner: 'a', wait: 0 })
          .add(10_020, { what: 'ended', attempt: 'p1.1#1/r', outcome: 'busy' }),
        waiter(20_010),
      ],
      freed: [{ at: at(19_990), to: at(20_000), resource: 'r', attempt: 'p1.1#1/r', token: 2_049n }],
    },
    [],
  ],
  ['when a reader has left, to another reader', { attempts: [holder(READ), waiter(20_010, READ)] }, ['L1']],
  [
    'when a writer has left that asked later',
    {
      attempts: [
        attempt('p1.1#1').asked(10_000, READ).granted(10_010, 2_048).released(20_000),
        waiter(20_010, READ),
        attempt('p3.1#1')
          .asked(11_100, { mode: 'write' })
          .emitted(11_110, 'waiting')
          .granted(20_030, 6_144)
          .released(20_040),
      ],
    },
    ['L1'],
  ],
  [
    'when a writer has left that asked before',
    {
      attempts: [
        attempt('p1.1#1').asked(10_000, READ).granted(10_010, 2_048).released(20_000),
        attempt('p3.1#1')
          .asked(10_900, { mode: 'write' })
          .emitted(10_910, 'waiting')
          .granted(20_010, 3_072)
          .released(20_030),
        waiter(20_040, READ),
      ],
    },
    [],
  ],
  [
    'when one of two permits is given back, and the other one was free',
    { attempts: [holder(PERMITS), waiter(20_010, PERMITS)] },
    ['L1'],
  ],
  [
    'soon after another permit was added',
    {
      attempts: [holder(ONE), waiter(15_150, ONE)],
      events: [...READY, ...request('p3.1?1', 15_000, 15_020, { permits: 2 })],
    },
    [],
  ],
  [
    'long after another permit was added',
    {
      attempts: [holder(ONE), waiter(15_200, ONE)],
      events: [...READY, ...request('p3.1?1', 15_000, 15_020, { permits: 2 })],
    },
    ['L1'],
  ],
  [
    'long after another permit was added, perhaps, and taken away',
    {
      attempts: [holder(ONE), waiter(20_010, ONE)],
      events: [
        ...READY,
        ...request('p3.1?1', 15_000, 15_020, { permits: 2 }),
        ...request('p3.1?2', 15_010, 15_030, { permits: 1 }),
      ],
    },
    [],
  ],
  [
    'much later, with a disturbance of somebody who had asked for it',
    { attempts: [holder(), waiter(20_200)], faults: [fault('stall', 'p1', 19_000, 19_500)] },
    [],
  ],
  [
    'much later, with somebody who had asked for it without a connection, for longer than any session',
    {
      attempts: [holder(), waiter(20_200)],
      events: [...READY, connection('p1.1', 9_500, 'suspended'), connection('p1.1', 19_900, 'resumed')],
    },
    [],
  ],
  [
    'much later, with a disturbance of somebody else',
    { attempts: [holder(), waiter(20_200)], faults: [fault('stall', 'p9', 19_000, 19_500)] },
    ['L1'],
  ],
  [
    'much later, with a link between servers down',
    {
      attempts: [holder(), waiter(20_200)],
      faults: [{ ...fault('reset', 's1', 19_000, 19_500), on: 'links', targets: ['s1', 's2'] }],
    },
    [],
  ],
  [
    'much later, with a link down between a server and another process',
    {
      attempts: [holder(), waiter(20_200)],
      faults: [{ ...fault('reset', 's1', 19_000, 19_500), on: 'network', targets: ['p9', 's1'] }],
    },
    ['L1'],
  ],
  [
    'much later, because a client of another library had it',
    { attempts: [holder(), foreigner(10_500, 20_010, 20_190, 3_072), waiter(20_200)], foreign: ['f1.1'] },
    [],
  ],
  [
    'much later, with a client of another library behind it',
    { attempts: [holder(), waiter(20_200), foreigner(12_000, 20_220, 20_300, 5_120)], foreign: ['f1.1'] },
    ['L1'],
  ],
  [
    'when it has looked at a node that it may not read',
    {
      attempts: [foreigner(10_500, 10_600, 20_000, 3_072), waiter(21_140)],
      foreign: ['f1.1'],
      privateOnes: ['f1.1'],
    },
    [],
  ],
  [
    'later than it has looked at a node that it may not read',
    {
      attempts: [foreigner(10_500, 10_600, 20_000, 3_072), waiter(21_250)],
      foreign: ['f1.1'],
      privateOnes: ['f1.1'],
    },
    ['L1'],
  ],
  [
    'much later than a node that it may not read has gone',
    {
      attempts: [foreigner(9_010, 9_020, 9_700, 1_024), holder(), waiter(20_200)],
      foreign: ['f1.1'],
      privateOnes: ['f1.1'],
      ends: { 'f1.1': { to: at(9_705), end: 'closed' } },
    },
    ['L1'],
  ],
];

it.each(cases)('L1, a lock is granted to a waiter: %s', (_name, history, expected) => {
  const found = violatedInvariants({ precision: EXACT, events: READY, ...history });
  expect(found).toEqual(expected);
});
