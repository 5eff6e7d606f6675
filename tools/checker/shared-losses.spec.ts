import { expect, it } from 'vitest';
import { EXACT } from '../history/precision.js';
import { at, attempt, type TinyAttempt } from './tiny-history.js';
import { violatedInvariants, type Case } from './violated-invariants.js';

const LOST_AT = 5_000;

function reader(name: string, token: number): TinyAttempt {
  return attempt(name).asked(1_000, { mode: 'read' }).granted(1_010, token);
}

function lost(holder: TinyAttempt, ms: number): TinyAttempt {
  const event = { what: 'emitted', attempt: holder.name, event: 'lost', detail: 'session' } as const;
  return holder.add(ms, event).released(ms + 10, false);
}

const first = (): TinyAttempt => lost(reader('p1.1#1', 2_048), LOST_AT);
const cases: Case[] = [
  ['together', { attempts: [first(), lost(reader('p1.1#2', 2_049), LOST_AT)] }, []],
  ['one long after the other', { attempts: [first(), lost(reader('p1.1#2', 2_049), 5_040)] }, ['S1']],
  [
    'one after the other, with a stall in between',
    {
      attempts: [first(), lost(reader('p1.1#2', 2_049), 5_040)],
      events: [{ at: at(5_039), actor: 'p1.1', what: 'lagged', ms: 39 }],
    },
    [],
  ],
  ['one was released before', { attempts: [first(), reader('p1.1#2', 2_049).released(4_990)] }, []],
  ['the other with another node', { attempts: [first(), lost(reader('p1.1#2', 4_096), 5_040)] }, []],
];

it.each(cases)('S1, readers of one process lose their node together: %s', (_name, history, expected) => {
  expect(violatedInvariants({ ...history, precision: EXACT })).toEqual(expected);
});
