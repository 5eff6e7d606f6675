import { expect, it } from 'vitest';
import { EXACT } from '../history/precision.js';
import type { ProcessEventOf } from '../history/process-event.js';
import { attempt, connection, tinyHistory, type TinyHistory } from './tiny-history.js';
import { check } from './verdict.js';

/** The connectTimeout is 5 s, and the session timeout 2 s. */
type State = ProcessEventOf<'connection'>['state'];

const waited = (from: number, to: number, events: readonly [number, State][]): TinyHistory => ({
  attempts: [
    attempt('p1.1#1')
      .asked(from)
      .emitted(from + 10, 'waiting')
      .add(to, { what: 'ended', attempt: 'p1.1#1', outcome: 'unavailable' }),
  ],
  events: events.map(([ms, state]) => connection('p1.1', ms, state)),
  faults: [],
});
const cases: [name: string, history: TinyHistory, violations: number, hasOneSession?: boolean][] = [
  [
    'as long as it may',
    waited(100, 6_050, [
      [10, 'ready'],
      [1_000, 'suspended'],
    ]),
    0,
  ],
  [
    'longer',
    waited(100, 6_100, [
      [10, 'ready'],
      [1_000, 'suspended'],
    ]),
    1,
  ],
  [
    'longer, perhaps behind others of its process',
    {
      ...waited(100, 6_100, [
        [10, 'ready'],
        [1_000, 'suspended'],
      ]),
      localQueue: true,
    },
    0,
  ],
  [
    'longer, on another session than that without contact',
    waited(100, 6_100, [
      [10, 'ready'],
      [1_000, 'suspended'],
    ]),
    0,
    false,
  ],
  [
    'since its call',
    waited(2_000, 7_050, [
      [10, 'ready'],
      [1_000, 'suspended'],
    ]),
    0,
  ],
  [
    'with contact in between',
    waited(100, 9_000, [
      [10, 'ready'],
      [1_000, 'suspended'],
      [5_000, 'resumed'],
      [5_010, 'suspended'],
    ]),
    0,
  ],
  [
    'with a server that knew the end of its session',
    waited(100, 9_000, [
      [10, 'ready'],
      [1_000, 'suspended'],
      [5_000, 'sessionExpired'],
    ]),
    0,
  ],
  [
    'since it has lost one of its locks',
    {
      ...waited(100, 6_550, [
        [10, 'ready'],
        [1_000, 'suspended'],
      ]),
      attempts: ['p1.1#1/a', 'p1.1#1/b'].map((name) =>
        attempt(name)
          .asked(100)
          .emitted(110, 'waiting')
          .emitted(200, 'acquired')
          .lost(name.endsWith('a') ? 1_200 : 1_500, 'session')
          .add(6_550, { what: 'ended', attempt: name, outcome: 'unavailable' }),
      ),
    },
    0,
  ],
  ['without any contact before', waited(100, 5_700, []), 1],
];

it.each(cases)(
  'L1, an attempt waited without contact: %s',
  (_name, tiny, violations, hasOneSession = true) => {
    const history = tinyHistory({ ...tiny, hasOneSession, precision: EXACT });
    const verdict = check({ ...history, run: { ...history.run, emitsEvents: false } });
    expect(
      verdict.violations.map(({ sentence }) => sentence).filter((one) => one.includes('without contact')),
    ).toHaveLength(violations);
  },
);
