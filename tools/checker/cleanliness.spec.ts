import { describe, expect, it } from 'vitest';
import { violatedInvariants, type Case } from './violated-invariants.js';
import { at, attempt } from './tiny-history.js';

const first = attempt('p1.1#1').asked(0).granted(10, 1).checked(50).released(100);

describe('C1, nothing leaks', () => {
  const cases: Case[] = [
    ['nothing', {}, []],
    [
      'a contender',
      { finalState: { contenders: ['/chaos/r/_c_1-lock-0000000001 {"owner":"p1.1#1"}'] } },
      ['C1'],
    ],
    ['a watch', { finalState: { watches: ['s1: Total watches:1'] } }, ['C1']],
    ['a lock path', { finalState: { lockPaths: ['/chaos/r'] } }, ['C1']],
    [
      'a process that does not end',
      { attempts: [first], ends: { 'p1.1': { to: at(200), end: 'stuck' } } },
      ['C1'],
    ],
    [
      'a process that exited without being killed, but slowly',
      {
        attempts: [first],
        events: [{ at: at(150), actor: 'p1.1', what: 'exited' }],
        ends: { 'p1.1': { to: at(200), end: 'stuck' } },
      },
      [],
    ],
    [
      'a process that crashed',
      { attempts: [first], ends: { 'p1.1': { to: at(200), end: 'crashed' } } },
      ['C1'],
    ],
    [
      'an unhandled rejection',
      { events: [{ at: at(1), actor: 'p1.1', what: 'unhandled', detail: 'x' }] },
      ['C1'],
    ],
  ];
  it.each(cases)('%s', (_what, tiny, expected) => expect(violatedInvariants(tiny)).toEqual(expected));
});
