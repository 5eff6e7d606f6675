import { expect, it } from 'vitest';
import { EXACT } from '../history/precision.js';
import { attempt, tinyHistory, type TinyAttempt, type TinyHistory } from './tiny-history.js';
import { check } from './verdict.js';
import { fault } from './violated-invariants.js';

type Options = Parameters<TinyAttempt['asked']>[1];

const HOLDER = attempt('p1.1#1').asked(10_000).granted(10_010, 2_048).released(20_000);
const queued = (process: number, options: Options = {}): TinyAttempt =>
  attempt(`p${process}.1#1`)
    .asked(10_000 + 100 * process, options)
    .emitted(10_010 + 100 * process, 'waiting')
    .granted(19_810 + 100 * process, 2_048 * process)
    .released(19_900 + 100 * process);
const cases: [name: string, history: TinyHistory, violations: number][] = [
  ['none, and one may be', { attempts: [HOLDER, queued(2, { maxWaiters: 1 })] }, 0],
  ['none, and none may be', { attempts: [HOLDER, queued(2, { maxWaiters: 0 })] }, 1],
  [
    'none, while the holder has made a nested call',
    {
      attempts: [
        HOLDER,
        attempt('p1.1#1+')
          .asked(10_020, { nestedIn: 'p1.1#1' })
          .emitted(10_020, 'acquired')
          .granted(10_020, 2_048)
          .released(19_000),
        queued(2, { maxWaiters: 1 }),
      ],
    },
    0,
  ],
  ['one, and two may be', { attempts: [HOLDER, queued(2), queued(3, { maxWaiters: 2 })] }, 0],
  ['one, and one may be', { attempts: [HOLDER, queued(2), queued(3, { maxWaiters: 1 })] }, 1],
  [
    'two, of whom the first may have the lock',
    { attempts: [queued(2), queued(3), queued(4, { maxWaiters: 2 })] },
    0,
  ],
  [
    'two, who share places with others of their processes',
    { attempts: [HOLDER, queued(2), queued(3), queued(4, { maxWaiters: 1 })], localQueue: true },
    0,
  ],
  [
    'two readers',
    {
      attempts: [
        HOLDER,
        queued(2, { mode: 'read' }),
        queued(3, { mode: 'read' }),
        queued(4, { maxWaiters: 1 }),
      ],
    },
    0,
  ],
  [
    'two, one of whom an operator has removed',
    {
      attempts: [HOLDER, queued(2), queued(3), queued(4, { maxWaiters: 1 })],
      faults: [fault('contenderDeletion', 'p3.1#1', 10_350, 10_350)],
    },
    0,
  ],
  [
    'two, one of whom is a candidate that an operator has removed',
    {
      attempts: [
        HOLDER,
        queued(2),
        attempt('p3.1#1~1').asked(10_300, { verb: 'lead' }).emitted(10_310, 'waiting'),
        queued(4, { maxWaiters: 1 }),
      ],
      faults: [fault('contenderDeletion', 'p3.1#1~', 10_350, 10_350)],
    },
    0,
  ],
  [
    'two, one of whom may have lost its session',
    {
      attempts: [HOLDER, queued(2), queued(3), queued(4, { maxWaiters: 1 })],
      faults: [fault('stall', 'p3', 10_350, 10_360)],
    },
    0,
  ],
];

it.each(cases)('L1, an attempt waits behind waiters: %s', (_name, history, violations) => {
  const found = check(tinyHistory({ ...history, precision: EXACT })).violations;
  expect(found.filter(({ sentence }) => sentence.includes('maxWaiters'))).toHaveLength(violations);
});
