import { expect, it } from 'vitest';
import type { ProcessEvent } from '../history/process-event.js';
import { EXACT } from '../history/precision.js';
import { at, attempt, type TinyAttempt, type TinyHistory } from './tiny-history.js';
import { fault, violatedInvariants, type Case } from './violated-invariants.js';

const LOST_AT = 10_000;

const held = (name: string, options: Parameters<TinyAttempt['asked']>[1] = {}, token = 2_048): TinyAttempt =>
  attempt(name).asked(9_000, options).emitted(9_010, 'acquired').granted(9_010, token);
const lost = (reason: string): TinyAttempt =>
  held('p1.1#1')
    .lost(LOST_AT, reason)
    .released(LOST_AT + 10, false);
const shutDown = (drainTimeout: number): TinyHistory => ({
  attempts: [lost('shutdown')],
  ends: { 'p1.1': { to: at(20_000), end: 'shutDown', closingSince: at(9_500), drainTimeout } },
});
const together = (ms: number): TinyHistory => ({
  attempts: [
    held('p1.1#1/r')
      .lost(LOST_AT, 'together')
      .released(LOST_AT + 10, false),
    held('p1.1#1/s', { resource: 's' })
      .lost(LOST_AT + ms, 'deleted')
      .released(LOST_AT + ms + 10, false),
  ],
  faults: [fault('contenderDeletion', 'p1.1#1/s', 9_900, 9_900)],
});
/** The process stops for 30 ms after the first loss, and is killed `ms` after that loss. */
const killedAfter = (ms: number): TinyHistory => ({
  attempts: [held('p1.1#1/r').lost(LOST_AT, 'together'), held('p1.1#1/s', { resource: 's' })],
  events: [{ at: at(LOST_AT + 30), actor: 'p1.1', what: 'lagged', ms: 30 }],
  faults: [fault('contenderDeletion', 'p1.1#1/s', 9_900, 9_900)],
  ends: { 'p1.1': { to: at(LOST_AT + ms), end: 'killed' } },
});
const connection = (ms: number, state: 'ready' | 'suspended' | 'resumed'): ProcessEvent => ({
  at: at(ms),
  actor: 'p2.1',
  what: 'connection',
  state,
  detail: '',
});
const formerHolder = (ttl = 0): TinyAttempt =>
  attempt('p2.1#1').asked(5_000, { fair: false, ttl }).emitted(5_010, 'acquired').granted(5_010, 1_024);
const LATE = 6_600;
const released = (ms: number): TinyAttempt => formerHolder().emitted(ms, 'released').released(ms);
/** An operator deletes the node of a holder, whose own delete arrives when the next one has the lock. */
const deletedLate = (
  sessionTimeout: number,
  holder = released(LATE),
  disconnected?: number,
): TinyHistory => ({
  attempts: [
    holder,
    held('p1.1#1', { fair: false })
      .lost(LOST_AT, 'deleted')
      .released(LOST_AT + 10, false),
  ],
  faults: [{ ...fault('contenderDeletion', 'p2.1#1', 5_500, 5_500), resource: 'r', token: 1_024n }],
  events: [
    connection(100, 'ready'),
    ...(disconnected === undefined ? [] : [connection(disconnected, 'suspended')]),
  ],
  ends: { 'p2.1': { to: at(20_000), end: 'closed', sessionTimeout } },
  hasOneSession: true,
});
/** Somebody who was told of a deletion has the token of that holder again. */
function withTokenAgain(): TinyHistory {
  const { attempts = [], faults = [], ...others } = deletedLate(4_000);
  const again = attempt('p3.1#1')
    .asked(15_000, { fair: false })
    .emitted(15_010, 'acquired')
    .granted(15_010, 1_024);
  return {
    ...others,
    attempts: [...attempts, again.lost(15_500, 'deleted').released(15_510, false)],
    faults: [
      ...faults,
      fault('dataLoss', 's1', 14_000, 14_100),
      fault('contenderDeletion', 'p3.1#1', 15_400, 15_400),
    ],
  };
}
/** A list whose first lock is held at once and whose last one at 9,400; its process records the grants `lateMs` later. */
const listWithTtl = (ttl: number, lateMs: number): TinyHistory => ({
  attempts: [
    ['p1.1#1/r', 'r', 9_010],
    ['p1.1#1/s', 's', 9_400],
  ].map(([name, resource, acquired]) =>
    attempt(String(name))
      .asked(9_000, { resource: String(resource), ttl })
      .emitted(Number(acquired), 'acquired')
      .granted(9_400 + lateMs, 2_048)
      .lost(LOST_AT)
      .released(10_010, false),
  ),
});
const cases: Case[] = [
  ['its session, undisturbed', { attempts: [lost('session')] }, ['L1']],
  [
    'its session, after a disturbance of its network',
    { attempts: [lost('session')], faults: [fault('stall', 'p1', 8_000, 9_500)] },
    [],
  ],
  [
    'its session, after a disturbance of the servers',
    { attempts: [lost('session')], faults: [fault('kill', 's1', 8_000, 9_500)] },
    [],
  ],
  [
    'its session, after a disturbance of another process',
    { attempts: [lost('session')], faults: [fault('stall', 'p2', 8_000, 9_500)] },
    ['L1'],
  ],
  ['its node, which nobody deleted', { attempts: [lost('deleted')] }, ['L1']],
  [
    'its node, which an operator deleted',
    { attempts: [lost('deleted')], faults: [fault('contenderDeletion', 'p1.1#1', 9_900, 9_900)] },
    [],
  ],
  [
    'its node, which an operator deleted later',
    { attempts: [lost('deleted')], faults: [fault('contenderDeletion', 'p1.1#1', 10_100, 10_100)] },
    ['L1'],
  ],
  ['its node, by the late delete of a former holder whose session is longer', deletedLate(4_000), []],
  ['its node, by the late delete of a former holder whose session had ended', deletedLate(1_000), ['L1']],
  [
    'its node, by such a delete, and somebody has the same token when the servers have lost their data',
    withTokenAgain(),
    [],
  ],
  [
    'its node, by the delete of a former holder who had been told',
    deletedLate(4_000, formerHolder().lost(5_600, 'deleted').released(LATE, false)),
    ['L1'],
  ],
  [
    'its node, by the delete of a former holder who had lost its connection before',
    deletedLate(4_000, released(LATE), 6_000),
    ['L1'],
  ],
  [
    'its node, by the delete of a former holder that had no contact at the deletion, and may have looked before',
    {
      ...deletedLate(4_000),
      events: [connection(100, 'ready'), connection(5_400, 'suspended'), connection(5_600, 'resumed')],
    },
    [],
  ],
  [
    'its node, by that of a former holder one of whose sessions had lost its connection: perhaps not that of the lock',
    { ...deletedLate(4_000, released(LATE), 6_000), hasOneSession: false },
    [],
  ],
  [
    'its node, by the delete of a former holder that had lost its connection after the end of its ttl',
    deletedLate(4_000, formerHolder(990).lost(6_000).released(LATE, false), 6_300),
    [],
  ],
  [
    'its node, which an operator deleted in place of that of a former holder, who had given up before',
    {
      ...deletedLate(4_000, formerHolder().lost(5_400, 'session').released(LATE, false), 6_000),
      faults: [...deletedLate(4_000).faults!, fault('stall', 'p2', 3_000, 5_300)],
    },
    [],
  ],
  [
    'its node, by the delete of a former holder who has lost its connection since',
    deletedLate(4_000, released(LATE), LATE + 1),
    [],
  ],
  [
    'the node of its process, which has the name of another caller',
    {
      attempts: [
        attempt('p1.1#2')
          .asked(8_000)
          .emitted(8_010, 'acquired')
          .granted(8_010, 2_047)
          .emitted(8_900, 'released')
          .released(8_900),
        lost('deleted'),
      ],
      faults: [fault('contenderDeletion', 'p1.1#2', 9_900, 9_900)],
      localQueue: true,
    },
    [],
  ],
  [
    'the node of its process, which has the name of a candidate',
    {
      attempts: [
        attempt('p1.1#2~1')
          .asked(8_000, { verb: 'lead' })
          .emitted(8_010, 'acquired')
          .granted(8_010, 2_047)
          .emitted(8_900, 'released')
          .released(8_900),
        lost('deleted'),
      ],
      faults: [fault('contenderDeletion', 'p1.1#2~', 9_900, 9_900)],
      localQueue: true,
    },
    [],
  ],
  ['another lock of its call, which it does not have', { attempts: [lost('together')] }, ['L1']],
  ['another lock of its call', together(0), []],
  [
    'another lock of its call, of which its process tells later, because it was descheduled',
    { ...together(300), events: [{ at: at(LOST_AT + 300), actor: 'p1.1', what: 'lagged', ms: 299 }] },
    [],
  ],
  ['another lock of its call, which is lost later', together(300), ['L1']],
  ['another lock of its call, and its process is killed before it tells that loss', killedAfter(30), []],
  ['another lock of its call, and its process is killed long after', killedAfter(200), ['L1']],
  [
    'another lock of the call around it',
    {
      attempts: [
        held('p1.1#1/r', { verb: 'withLock' })
          .lost(LOST_AT, 'together')
          .released(LOST_AT + 10, false),
        held('p1.1#1/s', { verb: 'withLock', resource: 's' })
          .lost(LOST_AT, 'deleted')
          .released(LOST_AT + 10, false),
        held('p1.1#1+', { nestedIn: 'p1.1#1/r' })
          .lost(LOST_AT, 'together')
          .released(LOST_AT + 10, false),
      ],
      faults: [fault('contenderDeletion', 'p1.1#1/s', 9_900, 9_900)],
    },
    [],
  ],
  [
    'its ttl, before that has passed',
    { attempts: [held('p1.1#1', { ttl: 2_000 }).lost(LOST_AT).released(10_010, false)] },
    ['L1'],
  ],
  ['its ttl', { attempts: [held('p1.1#1', { ttl: 989 }).lost(LOST_AT).released(10_010, false)] }, []],
  ['the ttl of its list, whose grant was recorded late', listWithTtl(600, 20), []],
  [
    'the ttl of its list, when its process had stood still between the last lock and the grant',
    {
      attempts: [
        attempt('p1.1#1/r')
          .asked(9_000, { ttl: 500 })
          .emitted(9_010, 'acquired')
          .granted(LOST_AT, 2_048, false)
          .lost(LOST_AT)
          .released(10_010, false),
        attempt('p1.1#1/s')
          .asked(9_000, { resource: 's', ttl: 500 })
          .emitted(9_400, 'acquired')
          .granted(LOST_AT, 2_049, false)
          .lost(LOST_AT, 'session')
          .released(10_010, false),
      ],
      faults: [fault('preempt', 'p1', 9_410, LOST_AT)],
    },
    [],
  ],
  ['the ttl of its list, counted from its first lock', listWithTtl(989, 0), ['L1', 'L1']],
  [
    'the ttl that it was given last',
    { attempts: [held('p1.1#1', { ttl: 500 }).extended(9_400, 600).lost(LOST_AT).released(10_010, false)] },
    [],
  ],
  [
    'the ttl that it was given last, before that has passed',
    { attempts: [held('p1.1#1', { ttl: 500 }).extended(9_400, 700).lost(LOST_AT).released(10_010, false)] },
    ['L1'],
  ],
  [
    'the ttl of the hold around it',
    {
      attempts: [
        held('p1.1#1', { ttl: 980, verb: 'withLock' }).lost(9_990).released(10_010, false),
        attempt('p1.1#1+')
          .asked(9_500, { nestedIn: 'p1.1#1' })
          .emitted(9_500, 'acquired')
          .granted(9_500, 2_048)
          .lost(9_990)
          .released(LOST_AT, false),
      ],
    },
    [],
  ],
  ['the time to drain', shutDown(500), []],
  ['the time to drain, before it is over', shutDown(600), ['L1']],
  ['a reason that is not known here', { attempts: [lost('revoked')] }, ['L1']],
];

it.each(cases)('L1, a hold has lost %s', (_name, history, expected) => {
  const found = violatedInvariants({ ...history, precision: EXACT }, true);
  expect(found).toEqual(expected);
});
