import { describe, expect, it } from 'vitest';
import type { FreedLock } from '../history/run-history.js';
import { EXACT } from '../history/precision.js';
import { fault, violatedInvariants, type Case } from './violated-invariants.js';
import { at, attempt, connection, type TinyAttempt } from './tiny-history.js';

/** The first tokens of two contenders. */
const [FIRST, NEXT] = [2_048, 4_096];
const KILLED = { 'p1.1': { to: at(10_000), end: 'killed' } } as const;

function closed(name: string, askedAt: number, owner = 'pod-1'): TinyAttempt {
  return attempt(name).asked(askedAt, { failure: 'closed', owner });
}

function freed(ms: number, name: string, token: number): FreedLock {
  return { at: at(ms), resource: 'r', attempt: name, token: BigInt(token) };
}

describe('S1, a lock that fails closed stays taken when its holder is killed', () => {
  const killed = closed('p1.1#1', 9_000).granted(9_010, FIRST).checked(9_990);
  const other = attempt('p2.1#1').asked(9_500).granted(16_000, NEXT).released(16_010);
  const cases: Case[] = [
    ['granted to another one', { attempts: [killed, other], ends: KILLED }, ['S1']],
    [
      'freed by a person',
      { attempts: [killed, other], ends: KILLED, freed: [freed(15_000, 'p1.1#1', FIRST)] },
      [],
    ],
    [
      'granted to another one, after a duplicate had ended the session of its holder',
      { attempts: [killed, other], ends: KILLED, faults: [fault('sessionExpiry', 'p1', 9_500, 9_500)] },
      ['S1'],
    ],
    [
      'freed by a person afterwards',
      { attempts: [killed, other], ends: KILLED, freed: [freed(17_000, 'p1.1#1', FIRST)] },
      ['S1'],
    ],
    [
      'not freed by a person, who has freed an earlier hold of its owner',
      {
        attempts: [
          closed('p1.1#1', 9_000)
            .granted(9_010, FIRST + 1)
            .checked(9_990),
          other,
        ],
        ends: KILLED,
        freed: [freed(15_000, 'p0.1#1', FIRST)],
      },
      ['S1'],
    ],
    [
      'freed by a person after its owner had taken it over',
      { attempts: [killed, other], ends: KILLED, freed: [freed(15_000, 'p1.2#1', FIRST + 1)] },
      [],
    ],
    [
      'deleted by an operator',
      {
        attempts: [killed, other],
        ends: KILLED,
        faults: [fault('contenderDeletion', 'p1.1#1', 15_000, 15_000)],
      },
      [],
    ],
    [
      'taken over by its owner, and released',
      {
        attempts: [
          killed,
          closed('p1.2#1', 11_000)
            .granted(13_000, FIRST + 1)
            .released(14_000),
          other,
        ],
        ends: KILLED,
      },
      [],
    ],
    [
      'taken over by its owner, and not released yet',
      {
        attempts: [
          killed,
          closed('p1.2#1', 11_000)
            .granted(13_000, FIRST + 1)
            .released(15_999),
          other,
        ],
        ends: KILLED,
      },
      [],
    ],
    [
      'taken over by somebody else',
      {
        attempts: [
          killed,
          closed('p2.1#1', 11_000, 'pod-2')
            .granted(13_000, FIRST + 1)
            .released(14_000),
        ],
        ends: KILLED,
      },
      ['S1'],
    ],
    [
      'not valid any more before the kill, because of its ttl',
      {
        attempts: [closed('p1.1#1', 9_000).granted(9_010, FIRST).checked(9_990, false), other],
        ends: KILLED,
      },
      [],
    ],
    [
      'granted to its owner with the token of another place',
      { attempts: [killed, closed('p1.2#1', 11_000).granted(13_000, NEXT).released(14_000)], ends: KILLED },
      ['S1'],
    ],
  ];

  it.each(cases)('%s', (_name, history, expected) => {
    expect(violatedInvariants(history)).toEqual(expected);
  });
});

describe.each([
  ['another lock of the call is lost', 'together'],
  ['its service shuts down', 'shutdown'],
])('S1, a lock that fails closed stays taken while its work runs, although %s', (_what, detail) => {
  const working = closed('p1.1#1', 9_000).granted(9_010, FIRST).lost(10_000, detail).released(15_000, false);
  it.each([
    ['granted to another one while it works', 12_000, ['S1']],
    ['granted to another one afterwards', 15_001, []],
  ] as const)('%s', (_name, grantedAt, expected) => {
    const other = attempt('p2.1#1')
      .asked(9_500)
      .granted(grantedAt, NEXT)
      .released(grantedAt + 10);
    expect(violatedInvariants({ attempts: [working, other] })).toEqual(expected);
  });
});

describe('S1, a closed lock has one holder, whoever has the name of its owner', () => {
  const cutOff = fault('cutOffHolder', 'p1', 9_000, 14_000);
  const holds = (until: number): TinyAttempt =>
    closed('p1.1#1', 8_000).granted(8_010, FIRST).checked(until).released(30_000, false);
  const lostToNobody = closed('p1.1#1', 8_000)
    .granted(8_010, FIRST)
    .add(9_000, { what: 'emitted', attempt: 'p1.1#1', event: 'lost', detail: 'deleted' })
    .released(9_010, false);
  const tookOver = closed('p2.1#1', 8_500)
    .granted(9_005, FIRST + 1)
    .released(9_500);
  const gaveBack = closed('p2.1#1', 8_500).add(9_100, {
    what: 'ended',
    attempt: 'p2.1#1',
    outcome: 'aborted',
  });
  const elsewhere = closed('p2.1#1', 11_000)
    .granted(13_000, FIRST + 1)
    .released(20_000);
  const deletion = { ...fault('contenderDeletion', 'p1.1#1', 13_000, 13_000), targets: [] };
  const next = attempt('p3.1#1').asked(8_500).granted(13_010, NEXT).released(13_100);
  const cases: Case[] = [
    [
      'taken over from a holder without contact',
      { attempts: [holds(14_100), elsewhere], faults: [cutOff], precision: EXACT },
      [],
    ],
    [
      'taken over from a holder without contact by a call for several locks, which returns later',
      {
        attempts: [
          closed('p1.1#1', 8_000)
            .granted(8_010, FIRST)
            .add(14_100, { what: 'releasing', attempt: 'p1.1#1', held: true })
            .add(14_101, { what: 'released', attempt: 'p1.1#1', outcome: 'lost' }),
          closed('p2.1#1/r', 11_000)
            .emitted(13_000, 'acquired')
            .granted(25_000, FIRST + 1)
            .released(26_000),
          attempt('p2.1#1/s')
            .asked(11_000, { resource: 's' })
            .emitted(24_990, 'acquired')
            .granted(25_000, FIRST + 1)
            .released(26_000),
        ],
        faults: [cutOff],
        precision: EXACT,
      },
      [],
    ],
    [
      'taken over from a holder without contact, which still does not know when it has long had contact again',
      { attempts: [holds(19_000), elsewhere], faults: [cutOff], precision: EXACT },
      ['S1'],
    ],
    [
      'taken over from a holder without contact, in a nested call',
      {
        attempts: [
          closed('p1.1#1', 8_000).granted(8_010, FIRST).released(30_000, false),
          attempt('p1.1#1+').asked(8_020, { nestedIn: 'p1.1#1' }).granted(8_030, FIRST).released(14_100),
          elsewhere,
        ],
        faults: [cutOff],
        precision: EXACT,
      },
      [],
    ],
    [
      'its node lost with the data of the servers, in a nested call',
      {
        attempts: [
          closed('p1.1#1', 8_000).granted(8_010, FIRST).released(30_000, false),
          attempt('p1.1#1+').asked(14_050, { nestedIn: 'p1.1#1' }).granted(14_060, FIRST).released(14_100),
          attempt('p3.1#1').asked(8_500).granted(12_500, NEXT).released(20_000),
        ],
        faults: [fault('dataLoss', 's1', 12_000, 12_300), cutOff],
        precision: EXACT,
      },
      [],
    ],
    [
      'its node deleted by an operator, and known by its watch',
      { attempts: [holds(13_450), next], faults: [deletion], precision: EXACT },
      [],
    ],
    [
      'its node deleted by an operator, and not known in spite of contact',
      { attempts: [holds(19_000), next], faults: [deletion], precision: EXACT },
      ['S1'],
    ],
    [
      'its node deleted by an operator, while the holder had no contact',
      {
        attempts: [holds(19_000), next],
        faults: [deletion, fault('cutOffHolder', 'p1', 9_000, 16_000)],
        precision: EXACT,
      },
      [],
    ],
    [
      'its node deleted by an operator, and not known when the holder has long had contact again',
      {
        attempts: [holds(16_600), next],
        faults: [deletion, fault('cutOffHolder', 'p1', 9_000, 16_000)],
        precision: EXACT,
        hasOneSession: true,
      },
      ['S1'],
    ],
    [
      'the same, if the contact may have been that of another session',
      {
        attempts: [holds(16_600), next],
        faults: [deletion, fault('cutOffHolder', 'p1', 9_000, 16_000)],
        precision: EXACT,
        hasOneSession: false,
      },
      [],
    ],
    [
      'the same, if the connection was dead',
      {
        attempts: [holds(16_600), next],
        faults: [deletion, fault('cutOffHolder', 'p1', 9_000, 16_000)],
        events: [connection('p1.1', 17_000, 'suspended'), connection('p1.1', 17_010, 'resumed')],
        precision: EXACT,
        hasOneSession: true,
      },
      [],
    ],
    [
      'its node deleted by an operator in vain',
      { attempts: [holds(13_450), next], faults: [{ ...deletion, struck: false }], precision: EXACT },
      ['S1'],
    ],
    [
      'taken over from a holder with contact',
      { attempts: [holds(13_100), elsewhere], precision: EXACT },
      ['S1'],
    ],
    [
      'taken over by another owner from a holder without contact',
      {
        attempts: [
          holds(14_100),
          closed('p2.1#1', 11_000, 'pod-2')
            .granted(13_000, FIRST + 1)
            .released(20_000),
        ],
        faults: [cutOff],
        precision: EXACT,
      },
      ['S1'],
    ],
    [
      'taken over from a holder without contact, released, and granted to the next one',
      {
        attempts: [
          holds(14_100),
          closed('p2.1#1', 11_000)
            .granted(13_000, FIRST + 1)
            .released(13_100),
          attempt('p3.1#1').asked(11_000).granted(13_200, NEXT).released(13_300),
        ],
        faults: [cutOff],
        precision: EXACT,
      },
      [],
    ],
    [
      'taken over from a holder without contact by one that was killed, and freed by a person',
      {
        attempts: [
          holds(14_100),
          closed('p2.1#1', 11_000),
          attempt('p3.1#1').asked(11_000).granted(13_200, NEXT).released(13_300),
        ],
        faults: [cutOff],
        freed: [freed(13_150, 'p2.1#1', FIRST + 1)],
        ends: { 'p2.1': { to: at(12_000), end: 'killed' } },
        precision: EXACT,
      },
      [],
    ],
    [
      'lost with the session',
      {
        attempts: [
          closed('p1.1#1', 8_000)
            .granted(8_010, FIRST)
            .add(9_000, { what: 'emitted', attempt: 'p1.1#1', event: 'lost', detail: 'session' })
            .released(9_010, false),
        ],
      },
      ['S1'],
    ],
    [
      'lost to a call that gave it back, before an operator deleted it',
      {
        attempts: [lostToNobody, gaveBack],
        faults: [{ ...fault('contenderDeletion', 'p2.1#1', 9_500, 9_500), token: BigInt(FIRST + 1) }],
      },
      [],
    ],
    [
      'lost to nobody, before an operator deleted the node of the same hold',
      {
        attempts: [lostToNobody],
        faults: [{ ...fault('contenderDeletion', 'p1.1#1', 9_500, 9_500), token: BigInt(FIRST) }],
      },
      ['S1'],
    ],
    ['lost to nobody', { attempts: [lostToNobody] }, ['S1']],
    ['lost to a person', { attempts: [lostToNobody], freed: [freed(8_900, 'p1.1#1', FIRST)] }, []],
    [
      'lost to nobody, after a person had freed an earlier hold of its owner',
      {
        attempts: [
          closed('p1.1#1', 8_000)
            .granted(8_010, FIRST + 1)
            .lost(9_000, 'deleted')
            .released(9_010, false),
        ],
        freed: [freed(7_900, 'p0.1#1', FIRST)],
      },
      ['S1'],
    ],
    [
      'lost to a call of its owner, although its session had not ended',
      { attempts: [lostToNobody, tookOver], precision: EXACT },
      ['S1'],
    ],
    [
      'lost to a call of its owner, when its session may have ended',
      { attempts: [lostToNobody, tookOver], faults: [fault('stall', 'p1', 8_100, 8_800)], precision: EXACT },
      [],
    ],
    [
      'lost to an operator',
      { attempts: [lostToNobody], faults: [fault('contenderDeletion', 'p1.1#1', 8_900, 8_900)] },
      [],
    ],
  ];

  it.each(cases)('%s', (_name, history, expected) => {
    expect(violatedInvariants(history)).toEqual(expected);
  });
});

it('F1, the owner of a closed lock does not wait behind others', () => {
  const killed = closed('p1.1#1', 9_000).granted(9_010, FIRST).checked(9_990);
  const waiting = attempt('p2.1#1')
    .asked(9_500)
    .emitted(9_510, 'waiting')
    .granted(16_000, NEXT)
    .released(16_010);
  const again = closed('p1.2#1', 11_000)
    .granted(13_000, FIRST + 1)
    .released(14_000);
  const ends = { 'p1.1': { to: at(10_000), end: 'killed' } } as const;
  expect(violatedInvariants({ attempts: [killed, waiting, again], ends })).toEqual([]);
});
