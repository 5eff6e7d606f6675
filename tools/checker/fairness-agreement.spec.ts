import { expect, it } from 'vitest';
import { EXACT } from '../history/precision.js';
import { attempt, type TinyAttempt } from './tiny-history.js';
import { fault, violatedInvariants, type Case } from './violated-invariants.js';

const holder = (fair: boolean, releasedAt = 20_000): TinyAttempt =>
  attempt('p1.1#1').asked(10_000, { fair }).granted(10_010, 2_048).released(releasedAt);
const refused = (fair: boolean): TinyAttempt =>
  attempt('p2.1#1')
    .asked(15_000, { fair })
    .add(15_010, { what: 'ended', attempt: 'p2.1#1', outcome: 'otherFairness' });
const foreign = { faults: [fault('foreign', 'p1', 12_000, 16_000)] };
const cases: Case[] = [
  ['without a queue, while there is one', { attempts: [holder(true), refused(false)] }, []],
  ['with a queue, while there is none', { attempts: [holder(false), refused(true)] }, []],
  ['as it is in use', { attempts: [holder(true), refused(true)] }, ['L1']],
  ['when nobody uses it any more', { attempts: [holder(true, 11_000), refused(false)] }, ['L1']],
  ['when nobody has used it', { attempts: [refused(false)] }, ['L1']],
  ['while a client of another library may queue', { attempts: [refused(false)], ...foreign }, []],
  ['with a queue, as another library has one', { attempts: [refused(true)], ...foreign }, ['L1']],
];

it.each(cases)('L1, a call is refused for its value of `fair`: %s', (_name, history, expected) => {
  const found = violatedInvariants({ ...history, precision: EXACT, release: 'confirmed' });
  expect(found).toEqual(expected);
});
