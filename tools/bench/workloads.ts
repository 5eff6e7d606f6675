interface NamedWorkload {
  readonly name: WorkloadName;
  readonly about: string;
  readonly processes: number;
}

/**
 * `timed`: the waiters acquire and release in a loop until the time is over. `drain`: each waiter does so once, and the
 * time is measured until the last one has released; the next drain follows if a round lasts longer.
 */
export interface WindowWorkload extends NamedWorkload {
  readonly kind: 'timed' | 'drain';
  /** All processes use the same keys. 0: each turn of a waiter has a new one. */
  readonly keys: number;
  /** Waiters for each key in each process. */
  readonly waiters: number;
}

/** A process is killed while it holds the key and another one waits for it. */
interface KillWorkload extends NamedWorkload {
  readonly kind: 'kill';
}

export type Workload = WindowWorkload | KillWorkload;

const NAMES = ['W1', 'W1n', 'W2', 'W2s', 'W3', 'W4', 'W4b', 'W5', 'W5s', 'W6'] as const;
export type WorkloadName = (typeof NAMES)[number];

export const WORKLOADS: readonly Workload[] = [
  { name: 'W1', about: 'one key, one at a time', kind: 'timed', processes: 1, keys: 1, waiters: 1 },
  {
    name: 'W1n',
    about: 'a new key each time, one at a time',
    kind: 'timed',
    processes: 1,
    keys: 0,
    waiters: 1,
  },
  { name: 'W2', about: '64 keys at once in one process', kind: 'timed', processes: 1, keys: 64, waiters: 1 },
  {
    name: 'W2s',
    about: '4 processes that share 64 keys',
    kind: 'timed',
    processes: 4,
    keys: 64,
    waiters: 1,
  },
  {
    name: 'W3',
    about: '16 waiters in one process, one key',
    kind: 'timed',
    processes: 1,
    keys: 1,
    waiters: 16,
  },
  {
    name: 'W4',
    about: '4 processes with 4 waiters, one key',
    kind: 'timed',
    processes: 4,
    keys: 1,
    waiters: 4,
  },
  {
    name: 'W4b',
    about: '4 processes with 1 waiter, one key',
    kind: 'timed',
    processes: 4,
    keys: 1,
    waiters: 1,
  },
  {
    name: 'W5',
    about: '1,000 waiters in one process, drained',
    kind: 'drain',
    processes: 1,
    keys: 1,
    waiters: 1_000,
  },
  {
    name: 'W5s',
    about: '4 processes with 250 waiters, drained',
    kind: 'drain',
    processes: 4,
    keys: 1,
    waiters: 250,
  },
  { name: 'W6', about: 'kill -9 of the holder to the next grant', kind: 'kill', processes: 2 },
];
