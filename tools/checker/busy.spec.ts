import { describe, expect, it } from 'vitest';
import { at, attempt, connection, request, type TinyAttempt, type TinyHistory } from './tiny-history.js';
import { fault, violatedInvariants, type Case } from './violated-invariants.js';

const PERMITS = { mode: 'semaphore', permits: 2 } as const;
const busy = (
  name: string,
  asked: number,
  ended: number,
  options: Parameters<TinyAttempt['asked']>[1] = {},
): TinyAttempt =>
  attempt(name)
    .asked(asked, { verb: 'tryLock', wait: 0, ...options })
    .add(ended, { what: 'ended', attempt: name, outcome: 'busy' });

const AFTER_THE_WORK: TinyHistory = {
  attempts: [
    attempt('p2.1#1').asked(0, { verb: 'withLock' }).granted(2, 1).released(4),
    busy('p1.1#1', 10, 20),
  ],
  release: 'confirmed',
};

describe('L1, a lock is busy only if somebody else may be in its queue', () => {
  const cases: Case[] = [
    [
      'a holder, and the attempt may wait for it',
      {
        attempts: [
          attempt('p2.1#1').asked(0).granted(5, 1).released(100),
          attempt('p1.1#1')
            .asked(10, { wait: 5_000 })
            .emitted(20, 'busy')
            .add(20, { what: 'ended', attempt: 'p1.1#1', outcome: 'busy' }),
        ],
      },
      ['L1'],
    ],
    [
      'the same with a limit of waiters',
      {
        attempts: [
          attempt('p2.1#1').asked(0).granted(5, 1).released(100),
          attempt('p1.1#1')
            .asked(10, { wait: 5_000, maxWaiters: 0 })
            .emitted(20, 'busy')
            .add(20, { what: 'ended', attempt: 'p1.1#1', outcome: 'busy' }),
        ],
      },
      [],
    ],
    [
      'a holder, and the attempt has waited for it already',
      {
        attempts: [
          attempt('p2.1#1').asked(0).granted(5, 1).released(100),
          attempt('p1.1#1')
            .asked(10, { wait: 5_000, maxWaiters: 1 })
            .emitted(20, 'waiting')
            .emitted(30, 'busy')
            .add(30, { what: 'ended', attempt: 'p1.1#1', outcome: 'busy' }),
        ],
      },
      ['L1'],
    ],
    [
      'a lock that fails closed, left taken by a shutdown while the work went on',
      {
        attempts: [
          attempt('p2.1#1')
            .asked(0, { verb: 'withLock', failure: 'closed', owner: 'a' })
            .granted(10, 2_048)
            .lost(2_000, 'shutdown')
            .add(2_000, { what: 'released', attempt: 'p2.1#1', outcome: 'lost' })
            .add(4_000, { what: 'releasing', attempt: 'p2.1#1', held: false }),
          busy('p1.1#1', 10_000, 10_010),
        ],
        ends: { 'p2.1': { to: at(3_000), end: 'shutDown', closingSince: at(1_500) } },
      },
      [],
    ],
    ['nobody else', { attempts: [busy('p1.1#1', 10, 20)] }, ['L1']],
    [
      'a holder',
      { attempts: [attempt('p2.1#1').asked(0).granted(5, 1).released(100), busy('p1.1#1', 10, 20)] },
      [],
    ],
    [
      'a holder whose release had been confirmed',
      {
        attempts: [attempt('p2.1#1').asked(0).granted(2, 1).released(4), busy('p1.1#1', 10, 20)],
        release: 'confirmed',
      },
      ['L1'],
    ],
    [
      'a holder whose work returned without a connection, before its contender was gone',
      {
        ...AFTER_THE_WORK,
        events: [connection('p2.1', 3, 'suspended')],
      },
      [],
    ],
    [
      'the same, before one of several ensembles was reached for the first time',
      {
        ...AFTER_THE_WORK,
        events: [connection('p2.1', 30, 'ready')],
      },
      [],
    ],
    [
      'a holder whose minHold was not over when it was released',
      {
        attempts: [
          attempt('p2.1#1').asked(0, { minHold: 100 }).granted(2, 1).released(4),
          busy('p1.1#1', 10, 20),
        ],
        release: 'confirmed',
      },
      [],
    ],
    [
      'readers, for a reader',
      {
        attempts: [
          attempt('p2.1#1').asked(0, { mode: 'read' }).granted(5, 1).released(100),
          attempt('p1.1#1')
            .asked(10, { verb: 'tryLock', wait: 0, mode: 'read' })
            .add(20, { what: 'ended', attempt: 'p1.1#1', outcome: 'busy' }),
        ],
      },
      ['L1'],
    ],
    [
      'fewer holders than permits, for the next one',
      {
        attempts: [
          attempt('p2.1#1').asked(0, { mode: 'semaphore', permits: 2 }).granted(5, 1).released(100),
          attempt('p1.1#1')
            .asked(10, { verb: 'tryLock', wait: 0, mode: 'semaphore', permits: 2 })
            .add(20, { what: 'ended', attempt: 'p1.1#1', outcome: 'busy' }),
        ],
      },
      ['L1'],
    ],
    [
      'as many holders as permits',
      {
        attempts: [
          attempt('p2.1#1').asked(0, { mode: 'semaphore', permits: 2 }).granted(5, 1).released(100),
          attempt('p3.1#1').asked(0, { mode: 'semaphore', permits: 2 }).granted(5, 2).released(100),
          attempt('p1.1#1')
            .asked(10, { verb: 'tryLock', wait: 0, mode: 'semaphore', permits: 2 })
            .add(20, { what: 'ended', attempt: 'p1.1#1', outcome: 'busy' }),
        ],
      },
      [],
    ],
    [
      'a holder whose process keeps a lock that nobody wants',
      {
        attempts: [attempt('p2.1#1').asked(0).granted(2, 1).released(4), busy('p1.1#1', 9_000, 9_010)],
        release: 'confirmed',
        linger: 10_000,
      },
      [],
    ],
    [
      'a holder of the same process, which keeps a lock that nobody wants',
      {
        attempts: [
          attempt('p1.1#1').asked(0, { mode: 'read' }).granted(2, 1).released(4),
          busy('p1.1#2', 9_000, 9_010),
        ],
        events: [connection('p1.1', 0, 'ready')],
        release: 'confirmed',
        linger: 10_000,
      },
      ['L1'],
    ],
    [
      'a holder whose process must have given such a lock up',
      {
        attempts: [attempt('p2.1#1').asked(0).granted(2, 1).released(4), busy('p1.1#1', 19_000, 19_010)],
        events: [connection('p2.1', 0, 'ready')],
        release: 'confirmed',
        linger: 10_000,
      },
      ['L1'],
    ],
    [
      'a holder whose release had been sent',
      { attempts: [attempt('p2.1#1').asked(0).granted(2, 1).released(4), busy('p1.1#1', 10, 20)] },
      [],
    ],
    [
      'a holder whose release returned meanwhile',
      {
        attempts: [attempt('p2.1#1').asked(0).granted(2, 1).released(15), busy('p1.1#1', 10, 20)],
        release: 'confirmed',
      },
      [],
    ],
    [
      'an attempt that asked later',
      { attempts: [busy('p1.1#1', 10, 20), attempt('p2.1#1').asked(21).granted(22, 1).released(30)] },
      ['L1'],
    ],
    ['another one that was busy too', { attempts: [busy('p1.1#1', 10, 20), busy('p2.1#1', 12, 22)] }, []],
    [
      'one that was busy long ago',
      { attempts: [busy('p2.1#1', 10, 20), busy('p1.1#1', 60_000, 60_001)] },
      ['L1', 'L1'],
    ],
    [
      'a holder of one of two permits',
      {
        attempts: [
          attempt('p2.1#1').asked(0, PERMITS).granted(5, 1).released(100),
          busy('p1.1#1', 10, 20, PERMITS),
        ],
      },
      ['L1'],
    ],
    [
      'a holder of one of two permits, which may be one permit since a change',
      {
        attempts: [
          attempt('p2.1#1').asked(0, PERMITS).granted(5, 1).released(100),
          busy('p1.1#1', 10, 20, PERMITS),
        ],
        events: request('p3.1?1', 12, 15, { permits: 1 }),
      },
      [],
    ],
    [
      'a client of another library',
      { attempts: [busy('p1.1#1', 10, 20)], faults: [fault('foreign', 's1', 5, 8)] },
      [],
    ],
  ];
  it.each(cases)('%s', (_what, tiny, expected) => expect(violatedInvariants(tiny)).toEqual(expected));
});
