import type { LockMode, LockOptions } from '../../lib/index.js';
import type { FaultOptions } from '../support/fault-proxy.js';

/** One kind of lock, with what it promises. */
export interface LockKind {
  readonly name: string;
  /** Of the first holder, as events name it. */
  readonly mode: LockMode;
  /** Acquired together. */
  readonly resources: readonly string[];
  /** Those who can hold it together, and so keep all of `waiters` waiting. */
  readonly holders: readonly LockOptions[];
  /** In the order of their calls. The first one can never have it while anybody holds it. */
  readonly waiters: readonly LockOptions[];
  /** Each time so many who have held it the longest release it, and so many of those who wait have it then. */
  readonly turns: readonly { readonly released: number; readonly granted: number }[];
  /** Whether callers with these options may hold it at the same time. */
  readonly allows: (holders: readonly LockOptions[]) => boolean;
  /** Grants follow the order of the calls. */
  readonly isFair: boolean;
  /** Held twice by each holder, one inside the other. */
  readonly isNested: boolean;
  /** It survives the session of its holder. */
  readonly failsClosed: boolean;
  /** The requests in which a message gets lost. */
  readonly requests: {
    readonly acquire: string;
    readonly release: string;
    readonly onlyChanges?: FaultOptions;
  };
}

const ONE_BY_ONE = Array.from({ length: 4 }, () => ({ released: 1, granted: 1 }));
/** A heartbeat is a transaction too, of 39 bytes. So is its reply, of 38. */
const onlyChanges: FaultOptions = { where: ({ size }) => size > 40 };
const CREATED = { acquire: 'create2', release: 'delete' };

/** A lock that one holder has at a time, unless `more` says otherwise. */
function kind(name: string, options: LockOptions, more: Partial<LockKind> = {}): LockKind {
  return {
    name,
    mode: options.mode ?? (options.permits === undefined ? 'exclusive' : 'semaphore'),
    resources: [name.replaceAll(' ', '-')],
    holders: [options],
    waiters: ONE_BY_ONE.map(() => options),
    turns: ONE_BY_ONE,
    allows: (holders) => holders.length <= 1,
    isFair: true,
    isNested: false,
    failsClosed: false,
    requests: CREATED,
    ...more,
  };
}

function semaphore(permits: number): LockKind {
  return kind(
    `semaphore of ${permits}`,
    { permits },
    {
      holders: Array.from({ length: permits }, () => ({ permits })),
      allows: (holders) => holders.length <= permits,
    },
  );
}

const READ = { mode: 'read' } as const;
const WRITE = { mode: 'write' } as const;
const READERS_AND_WRITERS = kind('readers and writers', READ, {
  holders: [READ, READ],
  waiters: [WRITE, READ, READ, WRITE],
  turns: [
    { released: 2, granted: 1 },
    { released: 1, granted: 2 },
    { released: 2, granted: 1 },
  ],
  allows: (holders) => holders.length <= 1 || holders.every(({ mode }) => mode === 'read'),
});

export const LOCK_KINDS: readonly LockKind[] = [
  kind('exclusive', {}),
  kind('write', WRITE),
  READERS_AND_WRITERS,
  semaphore(1),
  semaphore(3),
  kind(
    'several',
    {},
    { resources: ['several-b', 'several-a'], requests: { acquire: 'multi', release: 'multi', onlyChanges } },
  ),
  kind('simple', { fair: false }, { isFair: false }),
  kind('re-entrant', { reentrant: true }, { isNested: true }),
  kind(
    'fail closed',
    { failure: 'closed', owner: 'payer-1' },
    {
      // It would come back to its owner.
      waiters: ONE_BY_ONE.map((_, index) => ({ failure: 'closed', owner: `payer-${index + 2}` })),
      failsClosed: true,
      requests: { acquire: 'multi', release: 'multi', onlyChanges },
    },
  ),
];
