import { describe, expect, it } from 'vitest';
import { brokenPromises, type Case } from './violated-invariants.js';
import { at, attempt } from './tiny-history.js';

const first = attempt('p1.1#1').asked(0).granted(10, 1).looked(50).released(100);

describe('C1, nothing is left', () => {
  const cases: Case[] = [
    ['nothing', {}, []],
    [
      'a contender',
      { aftermath: { contenders: ['/chaos/r/_c_1-lock-0000000001 {"owner":"p1.1#1"}'] } },
      ['C1'],
    ],
    ['a watch', { aftermath: { watches: ['s1: Total watches:1'] } }, ['C1']],
    ['a lock path', { aftermath: { lockPaths: ['/chaos/r'] } }, ['C1']],
    [
      'a process that does not end',
      { attempts: [first], ends: { 'p1.1': { to: at(200), end: 'stuck' } } },
      ['C1'],
    ],
    [
      'a process that ended by itself, though slowly',
      {
        attempts: [first],
        events: [{ at: at(150), actor: 'p1.1', what: 'left' }],
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
      'a rejection that nobody handled',
      { events: [{ at: at(1), actor: 'p1.1', what: 'unhandled', detail: 'x' }] },
      ['C1'],
    ],
  ];
  it.each(cases)('%s', (_what, tiny, expected) => expect(brokenPromises(tiny)).toEqual(expected));
});
