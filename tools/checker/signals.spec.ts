import { expect, it } from 'vitest';
import { EXACT } from '../history/precision.js';
import { at, attempt, type TinyAttempt } from './tiny-history.js';
import { violatedInvariants, type Case } from './violated-invariants.js';
import type { Invariant } from './violation.js';

const holder = (ttl = 100): TinyAttempt =>
  attempt('p1.1#1').asked(0, { ttl }).emitted(10, 'acquired').granted(10, 2_048);
const expired = (): TinyAttempt => holder().emitted(110, 'ttlExpired');
/** After the loss that its process knew of, and after its ttl. */
const LATE: Invariant[] = ['S1', 'S1'];

const cases: Case[] = [
  ['with its loss', { attempts: [holder().lost(110).released(500, false)] }, []],
  ['never', { attempts: [expired().released(500, false)] }, LATE],
  ['much later', { attempts: [expired().signalled(200).released(500, false)] }, LATE],
  [
    'much later, because its process stood still',
    {
      attempts: [expired().signalled(200).released(500, false)],
      events: [{ at: at(200), actor: 'p1.1', what: 'lagged', ms: 90 }],
    },
    [],
  ],
  [
    'not before its process was killed',
    { attempts: [expired()], ends: { 'p1.1': { to: at(120), end: 'killed' } } },
    [],
  ],
  [
    'not after a check from outside, of which its process learns nothing',
    { attempts: [holder(290).checked(111, false).lost(300).released(500, false)] },
    [],
  ],
  [
    'never, although its own check finds it lost',
    { attempts: [holder().emitted(90, 'released').released(80, false)] },
    ['S1'],
  ],
  ['not after its release', { attempts: [holder().released(50).emitted(51, 'released')] }, []],
];

it.each(cases)('S1, the signal of a lost hold aborts: %s', (_name, history, expected) => {
  expect(violatedInvariants({ ...history, precision: EXACT }, true)).toEqual(expected);
});
