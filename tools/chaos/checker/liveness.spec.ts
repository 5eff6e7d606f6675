import { describe, expect, it } from 'vitest';
import { brokenPromises, type Case } from './violated-invariants.js';
import { at, attempt } from './tiny-history.js';

describe('L1, every acquisition ends once, in time', () => {
  const ended = (ms: number, outcome: 'busy' | 'untyped' | 'timedOut' | 'aborted' | 'closed') =>
    ({ what: 'ended', attempt: 'p1.1#1', outcome, at: at(ms), actor: 'p1.1' }) as const;
  const lagged = (ms: number, lasted: number) =>
    ({ what: 'lagged', ms: lasted, at: at(ms), actor: 'p1.1' }) as const;
  const aborting = { what: 'aborting', attempt: 'p1.1#1', at: at(500), actor: 'p1.1' } as const;
  const asked = (options = {}) => [attempt('p1.1#1').asked(0, options)];
  const cases: Case[] = [
    ['one end', { attempts: asked(), events: [ended(10, 'busy')] }, []],
    ['no end', { attempts: asked() }, ['L1']],
    [
      'no end of a process that was killed',
      { attempts: asked(), ends: { 'p1.1': { to: at(9), end: 'killed' } } },
      [],
    ],
    ['two ends', { attempts: asked(), events: [ended(10, 'busy'), ended(20, 'busy')] }, ['L1']],
    ['an error that is none of ours', { attempts: asked(), events: [ended(10, 'untyped')] }, ['L1']],
    ['an end at its time', { attempts: asked({ wait: 1_000 }), events: [ended(1_002, 'timedOut')] }, []],
    [
      'an end long after it',
      { attempts: asked({ wait: 1_000 }), events: [ended(8_000, 'timedOut')] },
      ['L1'],
    ],
    [
      'the same of a process that stood still',
      { attempts: asked({ wait: 1_000 }), events: [ended(8_000, 'timedOut'), lagged(8_001, 6_000)] },
      [],
    ],
    [
      'an attempt that does not wait, within connectTimeout',
      { attempts: asked({ wait: 0 }), events: [ended(5_100, 'busy')] },
      [],
    ],
    ['one that takes longer', { attempts: asked({ wait: 0 }), events: [ended(9_000, 'busy')] }, ['L1']],
    ['an abort', { attempts: asked(), events: [aborting, ended(501, 'aborted')] }, []],
    [
      'an abort that nobody hears',
      { attempts: asked(), events: [aborting, ended(9_000, 'aborted')] },
      ['L1'],
    ],
    [
      'an end because its process was shut down',
      {
        attempts: asked(),
        events: [ended(10, 'closed')],
        ends: { 'p1.1': { to: at(20), end: 'shutDown' } },
      },
      [],
    ],
    ['the same in a process that was not', { attempts: asked(), events: [ended(10, 'closed')] }, ['L1']],
    [
      'a long wait without a limit',
      { attempts: [attempt('p1.1#1').asked(0).granted(60_000, 1).released(60_001)] },
      [],
    ],
    ['a release without an answer', { attempts: [attempt('p1.1#1').asked(0).granted(10, 1)] }, ['L1']],
  ];
  it.each(cases)('%s', (_what, tiny, expected) => expect(brokenPromises(tiny)).toEqual(expected));
});

describe('L1, as the events tell it', () => {
  const told = (...events: readonly string[]) => {
    const one = attempt('p1.1#1').asked(0).granted(10, 1).released(20);
    return { attempts: [events.reduce((all, event) => all.told(15, event), one)] };
  };
  const cases: Case[] = [
    ['one end of each', told('acquired', 'released'), []],
    ['no end of the hold', told('acquired'), ['L1']],
    ['two ends of the hold', told('acquired', 'ttlExpired', 'released'), ['L1']],
    ['two ends of the attempt', told('acquired', 'aborted', 'released'), ['L1']],
    ['another end than the caller saw', told('timedOut'), ['L1']],
    ['none of anything', told(), ['L1']],
  ];
  it.each(cases)('%s', (_what, tiny, expected) => expect(brokenPromises(tiny, 'real')).toEqual(expected));
});
