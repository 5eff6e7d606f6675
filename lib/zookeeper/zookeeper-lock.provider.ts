import type { Abort } from '../locking/abort.js';
import type { Clock } from '../locking/clock.js';
import { LockUnavailableError } from '../locking/errors/lock-unavailable.error.js';
import { LazyAbort } from '../locking/lazy-abort.js';
import { LinkedList, type Linked } from '../locking/linked-list.js';
import type {
  Busy,
  EnterRequest,
  LockProviderListener,
  LockSnapshot,
  ShareableGrant,
  ShareableLockProvider,
  StoreTrouble,
  Release,
} from '../locking/lock-provider.interface.js';
import type { RandomSource } from '../locking/random-source.js';
import type { RetryPolicy } from '../locking/retry-policy.js';
import type { Acl } from './protocol/acl.js';
import { CLOSE_TIMEOUT_MS } from './client/close-timeout.js';
import type { ZooKeeperClient } from './client/zookeeper-client.interface.js';
import type { SessionGuard } from './guard/session-guard.interface.js';
import { Chroot } from './recipe/chroot.js';
import { LockRecipe } from './recipe/lock-recipe.js';
import { ContenderQueues } from './recipe/contender-queues.js';
import { LockParents } from './recipe/lock-parents.js';
import { assertEscapable, lockPath } from './recipe/lock-path.js';
import type { RecipeContext } from './recipe/recipe-context.js';
import { inspectQueue } from './recipe/queue-inspection.js';
import { ContenderCleanup } from './recipe/contender-cleanup.js';
import { EnsembleMarker, type EnsemblePlace } from './recipe/ensemble-marker.js';
import { PermissionCheck } from './recipe/permission-check.js';
import { forceRelease } from './recipe/force-release.js';
import { requestRelease } from './recipe/request-release.js';
import { PersistentRemovals } from './recipe/persistent-removals.js';
import { changePermits, type LockPathRequests } from './recipe/permits.js';
import { QueuePositionLostError, SessionRequests } from './recipe/session-requests.js';
import { SimpleLock } from './recipe/simple-lock.js';
import type { FormerHead } from './recipe/former-head.js';
import { NumberedLists } from './recipe/numbered-lists.js';
import { PathMemory } from './recipe/path-memory.js';
import { WatchedPermits } from './recipe/watched-permits.js';
import type { SessionObserver } from './session-observer.interface.js';
import type { ServerSession } from './session/server-session.js';
import type { ContactLimit } from './session/contact-limit.js';
import { SessionPool } from './session/session-pool.js';

export interface ZooKeeperLockProviderOptions {
  readonly clock: Clock;
  readonly random: RandomSource;
  readonly retry: RetryPolicy;
  /** Absolute path, chroot included, under which all lock paths stand. */
  readonly root: string;
  /** The part of `root` that is not ours to create, unless `createChroot`; `''` for none. */
  readonly chroot: string;
  readonly createChroot: boolean;
  readonly acl: readonly Acl[];
  /** The session timeout asked for, ms. */
  readonly sessionTimeout: number;
  /** ms */
  readonly connectTimeout: number;
  /** Bytes of contender paths that one session carries at most. */
  readonly maxSessionPathBytes: number;
  readonly createClient: (observer: SessionObserver) => ZooKeeperClient;
  /** Which ensemble of a list this is. Default: the only one. */
  readonly place?: EnsemblePlace;
  /** Closes the sessions if this process is killed. Default: nothing does. */
  readonly crashGuard?: SessionGuard;
}

interface Attempt extends Linked<Attempt> {
  readonly outcome: Promise<unknown>;
  readonly abort: Abort;
}

/** The first requests of a service. Called again with the next session if that ends meanwhile. */
type FirstRequests = (session: ServerSession, abort: Abort) => Promise<void>;

/** Keeps the queues of contenders in ZooKeeper, on one session or as many as they need. */
export class ZooKeeperLockProvider implements ShareableLockProvider {
  readonly storeName = 'ZooKeeper';
  readonly #sessions: SessionPool;
  readonly #context: RecipeContext;
  readonly #root: string;
  readonly #marker: EnsembleMarker;
  readonly #attempts = new LinkedList<Attempt>();
  #listener: LockProviderListener | undefined;

  constructor(private readonly options: ZooKeeperLockProviderOptions) {
    const { clock, random, retry, root, acl } = options;
    const chroot = new Chroot({ path: options.chroot, create: options.createChroot, acl });
    const warn = (message: string) => this.#listener?.warning(message);
    const persistentRemovals = new PersistentRemovals(clock);
    const parents = new LockParents({ acl, clock, retry, chroot, removals: persistentRemovals });
    const cleanup = new ContenderCleanup({ clock, retry, warn });
    this.#sessions = new SessionPool({
      ...options,
      started: (session) => options.crashGuard?.watch(session),
    });
    this.#root = root;
    const context = {
      sessions: this.#sessions,
      chroot,
      parents,
      cleanup,
      queues: new ContenderQueues(warn),
      formerHeads: new PathMemory<FormerHead>(),
      closedReleases: new PathMemory<Release>(),
      permits: new PathMemory<number>(),
      watchedPermits: new WatchedPermits(),
      numberedLists: new NumberedLists(),
      closedHolds: new Set<string>(),
      persistentRemovals,
      clock,
      random,
      retry,
      acl,
      warn,
    };
    this.#marker = new EnsembleMarker(root, options.place, context);
    this.#context = { ...context, checkMarker: (session, abort) => this.#marker.check(session, abort) };
  }

  open(listener: LockProviderListener): void {
    this.#listener = listener;
    this.options.crashGuard?.open((message) => listener.warning(message));
    this.#sessions.open(listener);
  }

  /**
   * Ready as far as that leaves nothing behind for other services. Throws as `ready` does.
   *
   * @returns does the rest, within the same time
   */
  async reached(): Promise<() => Promise<void>> {
    const deadline = await this.#connected();
    await this.#start(deadline, async (session, abort) => {
      await this.#checkPermissions(session, abort);
      await this.#marker.compare(session, abort);
    });
    return () => this.#start(deadline, (session, abort) => this.#marker.check(session, abort));
  }

  async ready(): Promise<void> {
    const deadline = await this.#connected();
    await this.#start(deadline, async (session, abort) => {
      await this.#checkPermissions(session, abort);
      await this.#marker.check(session, abort);
    });
  }

  /** @returns the end of the time for the start, a stamp of `Clock.monotonic()` */
  async #connected(): Promise<number> {
    const { clock, connectTimeout } = this.options;
    const deadline = clock.monotonic() + connectTimeout;
    await this.#sessions.limited(undefined, undefined, (limit) => this.#sessions.connected(limit));
    return deadline;
  }

  #checkPermissions(session: ServerSession, abort: Abort): Promise<void> {
    return new PermissionCheck(session, this.#root, this.#context, abort).run();
  }

  /** Makes the first requests, and all of them again if their session ends meanwhile. */
  async #start(deadline: number, requests: FirstRequests): Promise<void> {
    const { clock, connectTimeout } = this.options;
    const slow = new LazyAbort();
    const what = `ZooKeeper did not execute a first request within ${connectTimeout} ms`;
    const timeIsUp = () => slow.abort(new LockUnavailableError(undefined, what));
    const timer = clock.setTimer(timeIsUp, Math.max(0, deadline - clock.monotonic()), true);
    try {
      await this.#sessions.limited(undefined, slow, async (limit) => {
        while (!(await this.#completed(limit, requests)));
      });
    } finally {
      timer.cancel();
    }
  }

  assertStorable(resource: string): void {
    assertEscapable(resource);
  }

  inContact(): boolean {
    return this.#sessions.inContact;
  }

  isUsable(): boolean {
    return this.#sessions.end === undefined;
  }

  trouble(): StoreTrouble | undefined {
    return this.#sessions.trouble;
  }

  enter(request: EnterRequest): Promise<ShareableGrant | Busy> {
    const outcome = this.#sessions.limited(request.resource, request.abort, (abort) => {
      const Recipe = request.fair ? LockRecipe : SimpleLock;
      const path = lockPath(this.#root, request.resource);
      return new Recipe({ ...request, abort }, path, this.#context).enter();
    });
    const attempt: Attempt = { outcome, abort: request.abort, previous: undefined, next: undefined };
    this.#attempts.push(attempt);
    const ended = () => this.#attempts.remove(attempt);
    outcome.then(ended, ended);
    return outcome;
  }

  inspect(resource: string, abort?: Abort): Promise<LockSnapshot> {
    return this.#atLockPath(resource, abort, inspectQueue);
  }

  setPermits(resource: string, permits: number, abort?: Abort): Promise<boolean> {
    return this.#atLockPath(resource, abort, (path) => changePermits(path, permits, this.#context.parents));
  }

  forceRelease(resource: string, token: bigint, abort?: Abort): Promise<boolean> {
    return this.#atLockPath(resource, abort, (path) => forceRelease(path, token));
  }

  requestRelease(resource: string, abort?: Abort): Promise<boolean> {
    return this.#atLockPath(resource, abort, requestRelease);
  }

  async close(): Promise<void> {
    await this.#abortedAttempts();
    await this.#context.persistentRemovals.ended(CLOSE_TIMEOUT_MS);
    await this.#sessions.close();
    await this.options.crashGuard?.close();
  }

  /**
   * Resolves when all aborted attempts have ended, which takes no round trip: they have begun then to remove the lock paths that
   * they have made, and closed locks. The end of the session removes all other nodes.
   */
  async #abortedAttempts(): Promise<void> {
    const aborted = [...this.#attempts].filter(({ abort }) => abort.aborted);
    await Promise.allSettled(aborted.map(({ outcome }) => outcome));
  }

  #atLockPath<T>(
    resource: string,
    abort: Abort | undefined,
    use: (path: LockPathRequests) => Promise<T>,
  ): Promise<T> {
    return this.#inOneSession(resource, () =>
      this.#sessions.limited(resource, abort, async (limit) => {
        const session = await this.#sessions.connected(limit);
        const requests = new SessionRequests(session, this.#context, resource, limit);
        const path = lockPath(this.#root, resource);
        return use({ resource, lockPath: path, requests, bounds: { abort: limit, lane: path } });
      }),
    );
  }

  async #inOneSession<T>(resource: string, request: () => Promise<T>): Promise<T> {
    try {
      return await request();
    } catch (error) {
      if (!(error instanceof QueuePositionLostError)) throw error;
      throw new LockUnavailableError(resource, 'the session with ZooKeeper ended during the call', {
        cause: error,
      });
    }
  }

  /** False if the session has ended meanwhile. */
  async #completed(limit: ContactLimit, requests: FirstRequests): Promise<boolean> {
    const session = await this.#sessions.connected(limit);
    try {
      await requests(session, limit);
      return true;
    } catch (error) {
      if (error instanceof QueuePositionLostError) return false;
      throw error;
    }
  }
}
