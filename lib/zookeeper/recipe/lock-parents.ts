import type { Clock } from '../../locking/clock.js';
import type { RetryPolicy } from '../../locking/retry-policy.js';
import type {
  CreateMode,
  RequestBounds,
  Step,
  ZooKeeperClient,
} from '../client/zookeeper-client.interface.js';
import { ZooKeeperError, hasCode } from '../client/zookeeper-error.js';
import { PERMISSION, type Acl } from '../protocol/acl.js';
import { pauseBeforeRetry } from '../retry-pause.js';
import type { ServerSession } from '../session/server-session.js';
import type { Chroot } from './chroot.js';
import type { Removal } from './contender-cleanup.js';
import { parentOf } from './lock-path.js';
import { NewPathRate } from './new-path-rate.js';
import { PathMemory } from './path-memory.js';
import type { PersistentRemovals } from './persistent-removals.js';

/** The server removes empty containers once a minute: a path that is unused for longer than half of that is likely to be gone. */
const LIKELY_GONE_AFTER_MS = 30_000;

export interface LockParentsOptions {
  readonly acl: readonly Acl[];
  readonly clock: Clock;
  readonly retry: RetryPolicy;
  readonly chroot: Chroot;
  readonly removals: PersistentRemovals;
}

type PathMode = CreateMode & ('container' | 'persistent');

/**
 * Creates lock paths and their parents when they are missing, and removes unused ones. They are containers, which the
 * server removes after their last child; on servers before 3.5.3 they are persistent nodes, which a release removes. Parents of
 * lock paths that are not for all clients stay: their ACL would go with them, and any client could make them again.
 */
export class LockParents {
  #mode: PathMode = 'container';
  readonly #newPaths: NewPathRate;
  /** When lock paths were last known to be there; stamps of `Clock.monotonic()`. */
  readonly #lastThere = new PathMemory<number>();

  constructor(private readonly options: LockParentsOptions) {
    this.#newPaths = new NewPathRate(options.clock);
  }

  /** Whether `path` is likely to exist. */
  knows(session: ServerSession, path: string): boolean {
    const lastThere = this.#lastThere.get(session, path);
    return lastThere !== undefined && this.options.clock.monotonic() - lastThere < LIKELY_GONE_AFTER_MS;
  }

  /**
   * Called when `path` has a new contender, and already when its create has been asked for: in a session, later requests come
   * after that.
   */
  remember(session: ServerSession, path: string): void {
    this.#lastThere.put(session, path, this.options.clock.monotonic());
  }

  /** Called when it turns out to be missing. */
  forget(session: ServerSession, path: string): void {
    this.#lastThere.take(session, path);
  }

  /**
   * Creates `path`, with `data`, and its missing parents, up to the chroot. Does nothing if `path` exists.
   *
   * @throws LockConfigurationError if the chroot is missing and `createChroot` is not set
   */
  async make(client: ZooKeeperClient, path: string, bounds: RequestBounds, data?: Buffer): Promise<void> {
    if (await this.#make(client, path, bounds, { data })) this.#newPaths.count(path);
  }

  /** Creates the parent of lock paths. Throws as `make` does. */
  async makeParent(client: ZooKeeperClient, parent: string, bounds: RequestBounds): Promise<void> {
    if (this.options.chroot.is(parent)) await this.options.chroot.make(client, bounds);
    else await this.#make(client, parent, bounds, { stays: !isForAll(this.options.acl) });
  }

  /** Called when a contender of `path` was deleted: removes the path if the server would not, or too late. Best effort. */
  tidy(session: ServerSession, path: string): void {
    if (this.#mode !== 'persistent' && !this.#newPaths.isHigh) return;
    this.forget(session, path);
    void this.#lasting(this.#remove(session, path));
  }

  /**
   * Called when an acquisition that has made `path` ends, and may not have made its node there: removes the path if it has not,
   * because the server does not remove a path that never had a child. A shutdown waits for that. Never rejects.
   *
   * @param removal of that node; settles when no request of it can make the path any more
   */
  abandon(session: ServerSession, path: string, removal: Promise<Removal>): Promise<void> {
    return this.#lasting(
      removal.then((outcome) => (outcome === 'absent' ? this.#remove(session, path) : undefined)),
    );
  }

  /**
   * The first steps of a transaction that changes a lock path: a child that is created and deleted again. For the node of a simple
   * lock that has taken its place meanwhile, the server refuses them with NO_CHILDREN_FOR_EPHEMERALS. Its version may be the same.
   */
  unlessSimple(path: string): readonly Step[] {
    const child = `${path}/.unused`;
    return [
      { op: 'create', path: child, mode: 'persistent', acl: this.options.acl },
      { op: 'delete', path: child },
    ];
  }

  /**
   * Removes a lock path without contenders. `used`: it has some; `simple`: there is the node of a simple lock in its place.
   *
   * A plain delete would also delete the node of a simple lock that has taken the place of the lock path meanwhile, and free the
   * lock of its holder.
   */
  async removeUnused(
    client: ZooKeeperClient,
    path: string,
    bounds: RequestBounds,
  ): Promise<'removed' | 'used' | 'simple'> {
    try {
      await client.transact([...this.unlessSimple(path), { op: 'delete', path }], bounds);
      return 'removed';
    } catch (error) {
      if (hasCode(error, 'NO_NODE')) return 'removed';
      if (hasCode(error, 'NOT_EMPTY')) return 'used';
      if (hasCode(error, 'NO_CHILDREN_FOR_EPHEMERALS')) return 'simple';
      throw error;
    }
  }

  /** @returns false if it exists already */
  async #make(
    client: ZooKeeperClient,
    path: string,
    bounds: RequestBounds,
    { data, stays = false }: { readonly data?: Buffer | undefined; readonly stays?: boolean },
  ): Promise<boolean> {
    const { acl } = this.options;
    for (;;) {
      const mode = stays ? 'persistent' : this.#mode;
      try {
        await client.create(path, { ...bounds, mode, acl, data });
        return true;
      } catch (error) {
        if (hasCode(error, 'NODE_EXISTS')) return false;
        if (hasCode(error, 'UNIMPLEMENTED') && mode === 'container') {
          this.#mode = 'persistent';
          continue;
        }
        const parent = parentOf(path);
        if (parent === undefined || !hasCode(error, 'NO_NODE')) throw error;
        // The server may remove the parent before the child is created, hence the loop, which `bounds` ends (H23).
        await this.makeParent(client, parent, bounds);
      }
    }
  }

  #lasting(removal: Promise<void>): Promise<void> {
    this.options.removals.add(removal);
    return removal;
  }

  /** Repeated for as long as that can help, and the session lasts. */
  async #remove(session: ServerSession, path: string): Promise<void> {
    for (let failures = 1; ; failures += 1) {
      try {
        return void (await this.removeUnused(session.client, path, { lane: path }));
      } catch (error) {
        if (!(error instanceof ZooKeeperError && error.recoverable)) return;
        if (!hasCode(error, 'CONNECTION_LOSS')) await pauseBeforeRetry(session, this.options, failures);
      }
      if (!(await session.reachable())) return;
    }
  }
}

function isForAll(acl: readonly Acl[]): boolean {
  return acl.some(({ scheme, permissions }) => scheme === 'world' && (permissions & PERMISSION.CREATE) !== 0);
}
