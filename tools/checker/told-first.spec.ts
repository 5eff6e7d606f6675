import { expect, it } from 'vitest';
import type { LockMode } from '../../lib/index.js';
import { EXACT } from '../history/precision.js';
import { at, attempt, type TinyAttempt } from './tiny-history.js';
import { fault, violatedInvariants, type Case } from './violated-invariants.js';

const NEXT = 4_096;

/** Valid until 3000 ms, and told at `ms` that it is lost. */
function holder(ms: number, mode: LockMode = 'exclusive'): TinyAttempt {
  return attempt('p1.1#1')
    .asked(0, { mode })
    .granted(10, 2_048)
    .checked(3_000)
    .signalled(ms)
    .released(9_000, false);
}

const rival = attempt('p2.1#1').asked(20).granted(3_200, NEXT).released(3_300);
const reader = attempt('p2.1#1').asked(20, { mode: 'read' }).granted(3_200, NEXT).released(3_300);
const lagged = { at: at(3_400), actor: 'p1.1', what: 'lagged', ms: 350 } as const;

const cases: Case[] = [
  ['before the other one', { attempts: [holder(3_200), rival] }, []],
  ['after the other one', { attempts: [holder(3_400), rival] }, ['S1']],
  ['after another one that began when it was told', { attempts: [holder(3_201), rival] }, ['S1']],
  [
    'after the other one, because its process stood still',
    { attempts: [holder(3_400), rival], events: [lagged] },
    [],
  ],
  [
    'after the other one, because its process was descheduled',
    { attempts: [holder(3_400), rival], faults: [fault('preempt', 'p1', 3_000, 3_390)] },
    [],
  ],
  [
    'after the other one, because an operator had deleted its contender',
    { attempts: [holder(3_400), rival], faults: [fault('contenderDeletion', 'p1.1#1', 3_100, 3_100)] },
    [],
  ],
  [
    'never, because it ended its work before the other one had it',
    {
      attempts: [attempt('p1.1#1').asked(0).granted(10, 2_048).checked(3_000).released(3_100, false), rival],
    },
    [],
  ],
  [
    'never, because its process was killed',
    {
      attempts: [attempt('p1.1#1').asked(0).granted(10, 2_048).checked(3_000), rival],
      ends: { 'p1.1': { to: at(3_100), end: 'killed' } },
    },
    [],
  ],
  ['after a reader, as a reader', { attempts: [holder(3_400, 'read'), reader] }, []],
  ['after a reader, as a writer', { attempts: [holder(3_400), reader] }, ['S1']],
];

it.each(cases)(
  'S1, a holder is told of its loss before anybody else has the lock: %s',
  (_name, history, expected) => {
    expect(violatedInvariants({ ...history, precision: EXACT })).toEqual(expected);
  },
);

it('S1, a real process may not have run in between', () => {
  expect(violatedInvariants({ attempts: [holder(3_400), rival] })).toEqual([]);
});
