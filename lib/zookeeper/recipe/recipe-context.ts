import type { Abort } from '../../locking/abort.js';
import type { Clock } from '../../locking/clock.js';
import type { Release } from '../../locking/lock-provider.interface.js';
import type { RandomSource } from '../../locking/random-source.js';
import type { RetryPolicy } from '../../locking/retry-policy.js';
import type { Acl } from '../protocol/acl.js';
import type { ServerSession } from '../session/server-session.js';
import type { SessionPool } from '../session/session-pool.js';
import type { Chroot } from './chroot.js';
import type { PersistentRemovals } from './persistent-removals.js';
import type { ContenderQueues } from './contender-queues.js';
import type { LockParents } from './lock-parents.js';
import type { ContenderCleanup } from './contender-cleanup.js';
import type { FormerHead } from './former-head.js';
import type { NumberedLists } from './numbered-lists.js';
import type { PathMemory } from './path-memory.js';
import type { WatchedPermits } from './watched-permits.js';

/** What all acquisitions and inspections of a provider share. */
export interface RecipeContext {
  readonly sessions: SessionPool;
  readonly chroot: Chroot;
  readonly parents: LockParents;
  readonly cleanup: ContenderCleanup;
  readonly queues: ContenderQueues;
  /** The last contender of a session that was the head of the queue. Who joins the queue next takes it out. */
  readonly formerHeads: PathMemory<FormerHead>;
  /** The last release of a closed lock that may make its contender the former head. Who joins the queue next waits for it. */
  readonly closedReleases: PathMemory<Release>;
  /** The number of permits that a session has last seen. */
  readonly permits: PathMemory<number>;
  /** The numbers of permits that cannot have changed. */
  readonly watchedPermits: WatchedPermits;
  readonly numberedLists: NumberedLists;
  /** The holds of closed locks that this process has or gives up: nobody else can adopt them. */
  readonly closedHolds: Set<string>;
  /** A shutdown waits for them. */
  readonly persistentRemovals: PersistentRemovals;
  /** `EnsembleMarker.check`: before the first grant in a session. */
  readonly checkMarker: (session: ServerSession, abort: Abort) => Promise<void>;
  readonly clock: Clock;
  readonly random: RandomSource;
  readonly retry: RetryPolicy;
  /** Access rules of everything this provider creates. */
  readonly acl: readonly Acl[];
  /** Reports something that an operator should know. */
  readonly warn: (message: string) => void;
}
