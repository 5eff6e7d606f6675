import { describe, expect, it } from 'vitest';
import type { Attempt } from './attempt.js';
import { EXACT } from '../history/precision.js';
import { violatedInvariants, fault, type Case } from './violated-invariants.js';
import { at, attempt } from './tiny-history.js';

describe('L1, every acquisition ends once, in time', () => {
  const ended = (ms: number, outcome: 'untyped' | 'timedOut' | 'aborted' | 'closed') =>
    ({ what: 'ended', attempt: 'p1.1#1', outcome, at: at(ms), actor: 'p1.1' }) as const;
  const lagged = (ms: number, lasted: number) =>
    ({ what: 'lagged', ms: lasted, at: at(ms), actor: 'p1.1' }) as const;
  const aborting = { what: 'aborting', attempt: 'p1.1#1', at: at(500), actor: 'p1.1' } as const;
  const asked = (options = {}) => [attempt('p1.1#1').asked(0, options)];
  const cases: Case[] = [
    ['one end', { attempts: asked(), events: [ended(10, 'aborted')] }, []],
    ['no end', { attempts: asked() }, ['L1']],
    [
      'no end of a process that was killed',
      { attempts: asked(), ends: { 'p1.1': { to: at(9), end: 'killed' } } },
      [],
    ],
    ['two ends', { attempts: asked(), events: [ended(10, 'aborted'), ended(20, 'aborted')] }, ['L1']],
    ['an error of another type', { attempts: asked(), events: [ended(10, 'untyped')] }, ['L1']],
    [
      'a timeout that comes too early',
      { attempts: asked({ wait: 1_000 }), events: [ended(990, 'timedOut')] },
      ['L1'],
    ],
    [
      'the same by a clock that is a little fast',
      { attempts: asked({ wait: 1_000 }), events: [ended(994, 'timedOut')] },
      [],
    ],
    [
      'an event that comes too early, of a call that tells only that it has no lock',
      {
        attempts: [
          attempt('p1.1#1')
            .asked(0, { wait: 1_000, verb: 'tryLock' })
            .emitted(900, 'timedOut')
            .add(900, { what: 'ended', attempt: 'p1.1#1', outcome: 'busy' }),
          attempt('p2.1#1').asked(0).granted(5, 1).released(2_000),
        ],
      },
      ['L1'],
    ],
    ['an end in time', { attempts: asked({ wait: 1_000 }), events: [ended(1_002, 'timedOut')] }, []],
    [
      'an end that is too late',
      { attempts: asked({ wait: 1_000 }), events: [ended(8_000, 'timedOut')] },
      ['L1'],
    ],
    [
      'the same in a process that was stalled',
      { attempts: asked({ wait: 1_000 }), events: [ended(8_000, 'timedOut'), lagged(8_001, 6_000)] },
      [],
    ],
    [
      'an attempt that does not wait, within connectTimeout',
      { attempts: asked({ wait: 0 }), events: [ended(5_100, 'aborted')] },
      [],
    ],
    ['one that takes longer', { attempts: asked({ wait: 0 }), events: [ended(9_000, 'aborted')] }, ['L1']],
    ['an abort', { attempts: asked(), events: [aborting, ended(501, 'aborted')] }, []],
    ['an abort without effect', { attempts: asked(), events: [aborting, ended(9_000, 'aborted')] }, ['L1']],
    [
      'an end because its process was shut down',
      {
        attempts: asked(),
        events: [ended(10, 'closed')],
        ends: { 'p1.1': { to: at(20), end: 'shutDown' } },
      },
      [],
    ],
    [
      'the same before the shutdown began',
      {
        attempts: asked(),
        events: [ended(10, 'closed')],
        ends: { 'p1.1': { to: at(20), end: 'shutDown', closingSince: at(11) } },
      },
      ['L1'],
    ],
    [
      'the same after the shutdown began',
      {
        attempts: asked(),
        events: [ended(10, 'closed')],
        ends: { 'p1.1': { to: at(20), end: 'shutDown', closingSince: at(9) } },
      },
      [],
    ],
    ['the same in a process that was not', { attempts: asked(), events: [ended(10, 'closed')] }, ['L1']],
    ['a timeout without a limit', { attempts: asked(), events: [ended(10, 'timedOut')] }, ['L1']],
    [
      'in exact time, an end 51 ms too late',
      { attempts: asked({ wait: 1_000 }), events: [ended(1_051, 'timedOut')], precision: EXACT },
      ['L1'],
    ],
    [
      'a long wait without a limit',
      { attempts: [attempt('p1.1#1').asked(0).granted(60_000, 1).released(60_001)] },
      [],
    ],
    ['a release without an answer', { attempts: [attempt('p1.1#1').asked(0).granted(10, 1)] }, ['L1']],
  ];
  it.each(cases)('%s', (_what, tiny, expected) => expect(violatedInvariants(tiny)).toEqual(expected));
});

describe('L1, no attempt finds ZooKeeper unavailable when nothing is disturbed', () => {
  const found = (
    ms: number,
    outcome: 'unavailable' | 'aborted',
    options: Partial<Attempt['asked']> = {},
  ) => ({
    quietFrom: 10_000,
    attempts: [
      attempt('p1.1#1')
        .asked(ms - 100, options)
        .add(ms, { what: 'ended', attempt: 'p1.1#1', outcome }),
    ],
  });
  const cases: Case[] = [
    ['ZooKeeper was unavailable all the same', found(30_000, 'unavailable'), ['L1']],
    ['it was soon after the faults', found(12_000, 'unavailable'), []],
    ['its caller aborted it', found(30_000, 'aborted'), []],
    ['its wait was short', found(30_000, 'unavailable', { wait: 100 }), []],
    ['its wait was long', found(30_000, 'unavailable', { wait: 4_000 }), ['L1']],
    ['it was not to wait', found(30_000, 'unavailable', { wait: 0 }), ['L1']],
    [
      'its wait was long in virtual time',
      { ...found(30_000, 'unavailable', { wait: 100 }), precision: EXACT },
      ['L1'],
    ],
    [
      'nothing was disturbed for long, although more faults came later',
      { ...found(30_000, 'unavailable'), quietFrom: 40_000, precision: EXACT },
      ['L1'],
    ],
    [
      'a server was down',
      { ...found(30_000, 'unavailable'), faults: [fault('serverKill', 's2', 20_000, 25_000)] },
      [],
    ],
    [
      'its process was stopped',
      { ...found(30_000, 'unavailable'), faults: [fault('stop', 'p1', 20_000, 25_000)] },
      [],
    ],
    [
      'another process was stopped',
      { ...found(30_000, 'unavailable'), faults: [fault('stop', 'p2', 20_000, 25_000)] },
      ['L1'],
    ],
  ];
  it.each(cases)('%s', (_what, tiny, expected) => expect(violatedInvariants(tiny)).toEqual(expected));
});

describe('L1, in the event stream', () => {
  const emitted = (...events: readonly string[]) => {
    const one = attempt('p1.1#1').asked(0).granted(10, 1).released(20);
    return { attempts: [events.reduce((all, event) => all.emitted(15, event), one)] };
  };
  const cases: Case[] = [
    ['one end of each', emitted('acquired', 'released'), []],
    ['no end of the hold', emitted('acquired'), ['L1']],
    ['two ends of the hold', emitted('acquired', 'released', 'released'), ['L1']],
    ['two ends of the attempt', emitted('acquired', 'aborted', 'released'), ['L1']],
    ['an end that differs from the outcome of the call', emitted('timedOut'), ['L1']],
    ['no events', emitted(), ['L1']],
    ['no events of a client of another library', { ...emitted(), foreign: ['p1.1'] }, []],
  ];
  it.each(cases)('%s', (_what, tiny, expected) => expect(violatedInvariants(tiny, true)).toEqual(expected));
});
