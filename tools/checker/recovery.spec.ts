import { describe, expect, it } from 'vitest';
import { violatedInvariants, fault, type Case } from './violated-invariants.js';
import { at, attempt } from './tiny-history.js';

describe('L2, the lock of a killed holder is granted within T and two ticks', () => {
  const killed = attempt('p1.1#1').asked(9_000).granted(9_010, 1).checked(9_990);
  const ends = { 'p1.1': { to: at(10_000), end: 'killed' } } as const;
  const waiting = (grantedAt: number) => [
    killed,
    attempt('p2.1#1')
      .asked(9_500)
      .emitted(9_510, 'waiting')
      .granted(grantedAt, 2)
      .released(grantedAt + 1),
  ];
  const kill = fault('kill', 'p1', 9_999, 11_000);
  const cases: Case[] = [
    ['in time', { attempts: waiting(12_900), ends, faults: [kill] }, []],
    ['too late', { attempts: waiting(17_000), ends, faults: [kill] }, ['L2']],
    ...['killHolder', 'holderKill'].map((kind): Case => [
      `too late after a ${kind}`,
      { attempts: waiting(17_000), ends, faults: [fault(kind, 'p1', 9_999, 11_000)] },
      ['L2'],
    ]),
    [
      'too late, with a server down',
      { attempts: waiting(17_000), ends, faults: [kill, fault('serverKill', 's2', 11_000, 12_000)] },
      [],
    ],
    [
      'too late, with a link down between a server and somebody else',
      {
        attempts: waiting(17_000),
        ends,
        faults: [kill, { ...fault('reset', 's1', 11_000, 12_000), on: 'network', targets: ['p9', 's1'] }],
      },
      ['L2'],
    ],
    [
      'too late, with a stalled waiter',
      { attempts: waiting(17_000), ends, faults: [kill, fault('stop', 'p2', 11_000, 12_000)] },
      [],
    ],
    [
      'too late, after an election',
      {
        attempts: waiting(17_000),
        ends,
        faults: [kill],
        serverEvents: [{ at: at(11_000), server: 's1', mode: 'leader' }],
      },
      [],
    ],
    [
      'too late, with a holder that was cut off when it was killed',
      { attempts: waiting(17_000), ends, faults: [kill, fault('cutOffHolder', 'p1', 9_500, 12_000)] },
      [],
    ],
    [
      'in time to a call for several locks that lost it again',
      {
        attempts: [
          ...waiting(17_000),
          attempt('p3.1#1/orders')
            .asked(9_600)
            .emitted(12_900, 'acquired')
            .emitted(14_000, 'lost')
            .emitted(14_010, 'waiting')
            .granted(18_000, 3)
            .released(18_010),
        ],
        ends,
        faults: [kill],
      },
      [],
    ],
    ['no waiters', { attempts: [killed], ends, faults: [kill] }, []],
    [
      'only waiters that were killed too',
      {
        attempts: [killed, attempt('p2.1#1').asked(7_000).emitted(7_010, 'waiting')],
        ends: { ...ends, 'p2.1': { to: at(8_000), end: 'killed' } },
        faults: [kill],
      },
      [],
    ],
  ];
  it.each(cases)('%s', (_what, tiny, expected) => expect(violatedInvariants(tiny)).toEqual(expected));
});
