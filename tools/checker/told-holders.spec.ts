import { expect, it } from 'vitest';
import { EXACT } from '../history/precision.js';
import type { ProcessEvent } from '../history/process-event.js';
import { attemptsOf } from './attempts.js';
import { attempt, connection, request, tinyHistory, type TinyAttempt } from './tiny-history.js';
import { toldHolders } from './told-holders.js';
import { fault, type Case } from './violated-invariants.js';

type Options = Parameters<TinyAttempt['asked']>[1];

const told = (one: TinyAttempt, ...times: number[]): TinyAttempt =>
  times.reduce((chain, ms) => chain.emitted(ms, 'revokeRequested'), one);
const holder = (name = 'p1.1#1', token = 2_048, options: Options = {}): TinyAttempt =>
  attempt(name).asked(5_000, options).granted(5_010, token);
const stored = (name = 'p2.1?1', from = 10_000, to = 10_020): ProcessEvent[] => request(name, from, to);
/** It asks when the first request has returned. */
const next = (name: string, token: number): TinyAttempt => attempt(name).asked(10_100).granted(11_001, token);
/** One of several locks: it is told, then lost, and then has another place. */
const toldAndLost = (lostAt: number): TinyAttempt =>
  attempt('p1.1#1/r')
    .asked(5_000)
    .emitted(5_010, 'waiting')
    .emitted(9_000, 'acquired')
    .emitted(10_030, 'revokeRequested')
    .emitted(lostAt, 'lost')
    .emitted(10_510, 'waiting', true)
    .emitted(10_900, 'acquired')
    .granted(10_900, 4_096);
/** It had a permit when it was told to release it, without knowing, and has it again. */
const permitAgain: Case[1] = {
  attempts: [
    attempt('p1.1#1')
      .asked(9_990, { mode: 'semaphore', permits: 5 })
      .emitted(10_500, 'waiting', true)
      .granted(10_600, 2_048)
      .emitted(10_850, 'revokeRequested')
      .released(11_000),
  ],
  events: [...stored(), ...request('p2.1?2', 10_100, 10_110, { permits: 1 })],
};
const cases: Case[] = [
  ['of a request from before it says that it waits, as there were more permits then', permitAgain, []],
  [
    'of a request from before it waited, without a change of the number of permits',
    { ...permitAgain, events: stored() },
    ['L1'],
  ],
  ['soon', { attempts: [told(holder(), 10_030).released(11_000)], events: stored() }, []],
  ['never', { attempts: [holder().released(11_000)], events: stored() }, ['L1']],
  ['too late', { attempts: [told(holder(), 10_300).released(11_000)], events: stored() }, ['L1']],
  [
    'late, without contact',
    {
      attempts: [told(holder(), 10_700).released(11_000)],
      events: stored(),
      faults: [fault('stall', 'p1', 10_000, 10_650)],
    },
    [],
  ],
  [
    'never, as it has released the lock first',
    { attempts: [holder().released(10_100)], events: stored() },
    [],
  ],
  [
    '250 ms after the grant',
    { attempts: [told(holder(), 5_290).released(11_000)], events: stored('p2.1?1', 5_020, 5_030) },
    [],
  ],
  [
    'never, as nobody was asked',
    { attempts: [holder().released(11_000)], events: request('p2.1?1', 4_000, 4_010, { outcome: 'nobody' }) },
    [],
  ],
  ...[10_500, 10_030].map((lostAt): Case => [
    `soon, before the lock was lost as one of several, and asked for again, ${lostAt - 10_030} ms later`,
    {
      attempts: [toldAndLost(lostAt).released(11_000)],
      events: stored(),
    },
    [],
  ]),
  [
    'again, at the place it has since the lock was lost as one of several',
    {
      attempts: [toldAndLost(10_500).emitted(10_960, 'revokeRequested').released(11_000)],
      events: [...stored(), ...stored('p2.1?2', 10_920, 10_950)],
    },
    [],
  ],
  [
    'twice for one request',
    { attempts: [told(holder(), 10_030, 10_060).released(11_000)], events: stored() },
    ['L1'],
  ],
  [
    'twice for two requests',
    {
      attempts: [told(holder(), 10_030, 10_060).released(11_000)],
      events: [...stored(), ...stored('p2.1?2', 10_030, 10_050)],
    },
    [],
  ],
  [
    'after a change of the number of permits, as if that was a request',
    {
      attempts: [told(holder(), 10_030).released(11_000)],
      events: request('p2.1?1', 10_000, 10_020, { permits: 3 }),
    },
    ['L1'],
  ],
  [
    'never, as there are fewer permits than before',
    {
      attempts: [holder('p1.1#1', 2_048, { mode: 'semaphore', permits: 2 }).released(11_000)],
      events: [...request('p2.1?0', 9_000, 9_010, { permits: 1 }), ...stored()],
    },
    [],
  ],
  [
    'never, and neither is a nested call, as there are fewer permits than before',
    {
      attempts: [
        holder('p1.1#1', 2_048, { mode: 'semaphore', permits: 2 }).released(11_000),
        attempt('p1.1#1+')
          .asked(9_960, { mode: 'semaphore', permits: 2, nestedIn: 'p1.1#1' })
          .granted(9_960, 2_048)
          .checked(10_900)
          .released(10_950),
      ],
      events: [...request('p2.1?0', 9_000, 9_010, { permits: 1 }), ...stored()],
    },
    [],
  ],
  [
    'twice for one request that was repeated with another connection',
    {
      attempts: [told(holder(), 10_030, 10_060).released(11_000)],
      events: [...stored(), connection('p2.1', 10_010, 'suspended'), connection('p2.1', 10_015, 'resumed')],
    },
    [],
  ],
  ['without a request', { attempts: [told(holder(), 10_030).released(11_000)] }, ['L1']],
  [
    'before the request',
    { attempts: [told(holder(), 9_990, 10_030).released(11_000)], events: stored() },
    ['L1'],
  ],
  [
    'the next holder, in place of the one that was asked',
    {
      attempts: [
        told(holder(), 10_030).released(11_000),
        told(next('p3.1#1', 4_096), 11_300).released(12_000),
      ],
      events: stored(),
    },
    ['L1'],
  ],
  [
    'a waiter, who has the lock later',
    {
      attempts: [
        told(holder(), 10_030).released(11_000),
        told(attempt('p3.1#1').asked(9_000).granted(11_010, 4_096), 11_300).released(12_000),
      ],
      events: stored(),
    },
    ['L1'],
  ],
  [
    'the next caller in the process that was asked',
    {
      attempts: [holder().released(10_021), told(next('p1.1#2', 2_049), 11_300).released(12_000)],
      events: stored(),
      localQueue: true,
    },
    [],
  ],
  [
    'the next caller in the process that was asked, when a reader within the last one had outlived it',
    {
      attempts: [
        attempt('p1.1#1').asked(9_900).granted(9_950, 2_048).released(9_990),
        attempt('p1.1#1+')
          .asked(9_960, { mode: 'read', nestedIn: 'p1.1#1' })
          .granted(9_960, 2_048)
          .released(10_150),
        told(attempt('p1.1#2').asked(9_000).granted(10_151, 2_049), 10_201).released(12_000),
      ],
      events: stored(),
      localQueue: true,
    },
    [],
  ],
  [
    'the next caller in the process that was asked, which then waits in vain for another one of several locks',
    {
      attempts: [
        holder().released(10_021),
        told(attempt('p1.1#2').asked(9_000), 10_030),
        next('p1.1#3', 2_050).released(12_000),
      ],
      events: stored(),
      localQueue: true,
    },
    [],
  ],
  [
    'two callers of the process that was asked, one after the other',
    {
      attempts: [
        told(holder(), 10_020).released(10_021),
        told(next('p1.1#2', 2_049), 11_300).released(12_000),
      ],
      events: stored(),
      localQueue: true,
    },
    ['L1'],
  ],
  [
    'all readers',
    {
      attempts: ['p1.1#1', 'p1.1#2'].map((name, n) =>
        told(holder(name, 2_048 + n, { mode: 'read' }), 10_030).released(11_000),
      ),
      events: stored(),
      localQueue: true,
    },
    [],
  ],
  [
    'a reader that asked later, shares a node, and waits in vain for another one of several locks',
    {
      attempts: [
        told(holder('p1.1#1', 2_048, { mode: 'read' }), 10_030).released(11_000),
        told(attempt('p1.1#2').asked(10_100, { mode: 'read' }), 10_300),
      ],
      events: stored(),
      localQueue: true,
    },
    [],
  ],
  [
    'one of two readers',
    {
      attempts: [
        told(holder('p1.1#1', 2_048, { mode: 'read' }), 10_030).released(11_000),
        holder('p3.1#1', 4_096, { mode: 'read' }).released(11_000),
      ],
      events: stored(),
    },
    ['L1'],
  ],
];

it.each(cases)('L1, a holder is told that somebody asks for its lock: %s', (_name, tiny, expected) => {
  const history = tinyHistory({ ...tiny, precision: EXACT });
  const found = [...toldHolders(attemptsOf(history), history)];
  expect(found.map(({ invariant }) => invariant)).toEqual(expected);
});
