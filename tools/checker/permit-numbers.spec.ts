import { expect, it } from 'vitest';
import { attemptsOf } from './attempts.js';
import { PermitNumbers } from './permit-numbers.js';
import { at, attempt, connection, request, tinyHistory } from './tiny-history.js';
import type { ProcessEvent } from '../history/process-event.js';

/** Joins the queue with 2 permits between 1 s and 1.1 s. */
const waiter = attempt('p1.1#1').asked(1_000, { mode: 'semaphore', permits: 2 }).emitted(1_100, 'waiting');
const change = (permits: number, from: number, to?: number): ProcessEvent[] =>
  request(`p2.1?${permits}`, from, to, { permits });
const cases: [name: string, events: ProcessEvent[], from: number, to: number, expected: number[]][] = [
  ['without a change', [], 1_000, 5_000, [2]],
  ['before a change', change(3, 2_000, 2_010), 1_000, 1_999, [2]],
  ['during a change', change(3, 2_000, 2_010), 2_005, 2_005, [2, 3]],
  ['after a change', change(3, 2_000, 2_010), 2_010, 5_000, [3]],
  ['before and after a change', change(3, 2_000, 2_010), 1_500, 5_000, [2, 3]],
  ['after two changes', [...change(3, 2_000, 2_010), ...change(4, 3_000, 3_010)], 3_010, 5_000, [4]],
  [
    'after two changes at the same time',
    [...change(3, 2_000, 2_010), ...change(4, 2_005, 2_020)],
    3_000,
    5_000,
    [3, 4],
  ],
  ['after a change that has not returned', change(3, 2_000), 5_000, 6_000, [2, 3]],
  ['after a change that returned before the call', change(3, 900, 999), 1_000, 5_000, [2]],
  ['after a change while it joined the queue', change(3, 1_050, 1_060), 2_000, 5_000, [2, 3]],
  [
    'after a change of what nobody used',
    request('p2.1?1', 1_050, 1_060, { permits: 3, outcome: 'nobody' }),
    2_000,
    5_000,
    [2],
  ],
  [
    'after the end of the session, when it has joined again and is granted a permit at once',
    [...change(3, 2_000, 2_010), connection('p1.1', 3_000, 'sessionExpired')],
    4_000,
    5_000,
    [2, 3],
  ],
  [
    'after the end of the session of another process',
    [...change(3, 2_000, 2_010), connection('p2.1', 3_000, 'sessionExpired')],
    4_000,
    5_000,
    [3],
  ],
  [
    'after a change that found ZooKeeper unavailable',
    request('p2.1?1', 2_000, 2_010, { permits: 3, outcome: 'unavailable' }),
    3_000,
    5_000,
    [2, 3],
  ],
];

it.each(cases)('the numbers of permits that there may be: %s', (_name, events, from, to, expected) => {
  const history = tinyHistory({ attempts: [waiter], events });
  const [waiting] = attemptsOf(history);
  const numbers = new PermitNumbers(history).during(waiting!, { from: at(from), to: at(to) });
  expect([...numbers].toSorted((a, b) => a - b)).toEqual(expected);
});
