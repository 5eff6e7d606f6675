import { expect, it } from 'vitest';
import { EXACT } from '../history/precision.js';
import { at, attempt, connection, request, type TinyAttempt } from './tiny-history.js';
import { fault, violatedInvariants, type Case } from './violated-invariants.js';

const TURN = 2_048;
const holder = (options: Parameters<TinyAttempt['asked']>[1] = {}): TinyAttempt =>
  attempt('p1.1#1').asked(5_000, options).granted(5_010, TURN).released(20_000);
/** Made at `from`, and over 20 ms later. */
const shows = (holders: readonly (number | undefined)[], from = 10_000): Pick<Case[1], 'events'> => ({
  events: request('p2.1?1', from, from + 20, {
    holders,
    outcome: holders.length === 0 ? 'nobody' : 'seen',
  }),
});
const cases: Case[] = [
  ['its holder', { attempts: [holder()], ...shows([TURN]) }, []],
  [
    'the first holder of a node that callers of a process share',
    {
      attempts: [
        attempt('p1.1#1')
          .asked(5_000)
          .granted(5_010, TURN + 3)
          .released(20_000),
      ],
      ...shows([TURN]),
    },
    [],
  ],
  ['nobody', { ...shows([]) }, []],
  ['nobody, although somebody has it all the time', { attempts: [holder()], ...shows([]) }, ['L1']],
  ['somebody else', { attempts: [holder()], ...shows([3 * TURN]) }, ['L1']],
  ['nobody, as its holder has had it for a moment', { attempts: [holder()], ...shows([], 5_500) }, []],
  ['nobody, as its holder gives it up', { attempts: [holder()], ...shows([], 19_990) }, []],
  [
    'nobody, because an operator has deleted the node',
    {
      attempts: [holder()],
      ...shows([]),
      faults: [fault('contenderDeletion', 'p1.1#1', 9_990, 9_995)],
    },
    [],
  ],
  [
    'nobody, while servers are disturbed',
    { attempts: [holder()], ...shows([]), faults: [fault('stall', 's1', 9_000, 9_500)] },
    [],
  ],
  ['a holder who has just released it', { attempts: [holder()], ...shows([TURN], 20_500) }, []],
  ['a holder who released it long ago', { attempts: [holder()], ...shows([TURN], 22_000) }, ['L1']],
  [
    'a holder who released it long ago, as a node that others of its process use',
    {
      attempts: [
        holder(),
        attempt('p1.1#2')
          .asked(6_000)
          .granted(20_002, TURN + 1)
          .released(30_000),
      ],
      ...shows([TURN], 22_000),
    },
    [],
  ],
  [
    'a holder who released it long ago, as a node that a call for several locks has while it waits for the others',
    {
      attempts: [
        holder({ mode: 'read' }),
        attempt('p1.1#2/r').asked(5_000, { mode: 'read' }).emitted(5_010, 'acquired'),
      ],
      ...shows([TURN], 22_000),
      ends: { 'p1.1': { to: at(25_000), end: 'killed' } },
      localQueue: true,
    },
    [],
  ],
  [
    'a holder who released it long ago, and before the end of its `minHold`',
    { attempts: [holder({ minHold: 30_000 })], ...shows([TURN], 22_000) },
    [],
  ],
  ['a holder whose token is unknown', { ...shows([undefined]) }, []],
];

it.each(cases)('L1, an inspection shows %s', (_name, history, expected) => {
  const events = [connection('p2.1', 1_000, 'ready'), ...(history.events ?? [])];
  const found = violatedInvariants({ ...history, events, precision: EXACT, release: 'confirmed' });
  expect(found).toEqual(expected);
});
