import { abortable } from '../../locking/abortable.js';
import type { EnterRequest } from '../../locking/lock-provider.interface.js';
import type { WatchListener } from '../client/zookeeper-client.interface.js';
import { hasCode } from '../client/zookeeper-error.js';
import { debugStep } from '../debug-log.js';
import { isClosed } from './contender-name.js';
import type { ContenderNode } from './contender-node.js';
import { nameOf } from './lock-path.js';
import { readOwner } from './owner-record.js';
import type { RecipeContext } from './recipe-context.js';
import { WatchedNodes } from './watched-nodes.js';

/** Only errors and warnings about long waits name the predecessor: a short wait is not worth the request that reads its owner. */
const READ_OWNER_AFTER_MS = 50;
/**
 * Servers since 3.8.4 and 3.9.2 do not notify a client of a node that it may not read (CVE-2024-23944), so a waiter looks by
 * itself until it has read the contender ahead.
 */
const LOOK_AT_UNREAD_AFTER_MS = 1_000;

/** So many contenders a waiter looks at, at a time: those who wait for one of many permits would ask all the time. */
const LOOKS = 4;

/**
 * Tells a waiting contender when others ahead of it leave the queue, by watches on their nodes. After a lost connection it
 * watches the same contenders again without a list, because names are unique and no contender can get in between (H11, H62).
 */
export class Departures {
  readonly #nodes: WatchedNodes;
  /** The path whose owner the request was told last. */
  #told: string | undefined;
  /** As last read from the lock path. */
  #permits: number | undefined;
  #wake: (hasFired: boolean) => void = () => {};
  #looks = 0;

  constructor(
    private readonly node: ContenderNode,
    private readonly request: EnterRequest,
    private readonly context: Pick<RecipeContext, 'clock' | 'watchedPermits'>,
  ) {
    this.#nodes = new WatchedNodes(node.session.client, () => this.#wake(true));
  }

  /** Proves that the node exists, after all whose departure is known by now. */
  isWatching(name: string): boolean {
    return this.#nodes.isWatched(this.#pathOf(name)) && !this.hasLeft(name);
  }

  hasLeft(name: string): boolean {
    return this.#nodes.isGone(this.#pathOf(name));
  }

  /** A node of this name has come back. */
  forget(name: string): void {
    this.#nodes.unmarkGone(this.#pathOf(name));
  }

  /**
   * Resolves when one of the contenders has left. Throws as `SessionRequests.recover` does.
   *
   * @param names the nearest contender first; the request is told the owner of that one
   * @param permits of the semaphore, as far as known
   * @returns true if a list may show something else now, such as another number of permits, even if nobody has left
   */
  async next(names: readonly string[], permits?: number): Promise<boolean> {
    const { lockPath } = this.node;
    const isSemaphore = this.request.permits !== undefined;
    const contenders = names.map((name) => this.#pathOf(name));
    const paths = isSemaphore ? [...contenders, lockPath] : contenders;
    for (;;) {
      try {
        await this.#watch(contenders, isSemaphore);
        if (this.#permits === permits && (await this.#changed(paths))) return true;
      } catch (error) {
        await this.node.requests.recover(error);
      }
      if (this.#permits !== permits) return true;
      // The number is certain only while its watch is set.
      if (this.#isAnyGone(paths)) return isSemaphore && !this.#nodes.isWatched(lockPath);
      await this.node.requests.reconnected();
    }
  }

  /**
   * Removes the watches that are left (H15). That on the own node goes with it. With the lock, those on others that hold it
   * stay until they are given up, too: to remove them would cost a request for each.
   */
  end(hasLock: boolean): void {
    const { client } = this.node.session;
    this.#nodes.unlisten(this.node.path);
    this.#nodes.clear((path, listener) => {
      if (path === this.node.lockPath) this.context.watchedPermits.leave(this.node, listener);
      else if (hasLock) client.forgetWatch(path, 'data', listener);
      else client.removeWatch(path, 'data', listener);
    });
  }

  /** Watches those that are neither watched nor known to have left. Afterwards, no request is under way. */
  async #watch(paths: readonly string[], isSemaphore: boolean): Promise<void> {
    const wanted = paths.filter((path) => !this.#nodes.isWatched(path) && !this.#nodes.isGone(path));
    const requests = isSemaphore ? [this.#followPermits()] : [];
    // Far from the head, a wait is long enough to name the owner: the request for the watch reads it as well.
    if (paths.length === 1) requests.push(...wanted.map((path) => this.#watchAndRead(path)));
    else requests.push(...this.#watchAll(wanted));
    for (const outcome of await Promise.allSettled(requests)) {
      if (outcome.status === 'rejected') throw outcome.reason;
    }
  }

  #watchAll(paths: readonly string[]): Promise<void>[] {
    const { path: own, bounds } = this.node;
    for (const path of paths) {
      if (path !== own) debugStep('queue', 'watching', () => ({ path: own, predecessor: path }));
    }
    return this.#nodes.watch(paths, bounds);
  }

  async #watchAndRead(path: string): Promise<void> {
    debugStep('queue', 'watching', () => ({ path: this.node.path, predecessor: path }));
    try {
      // Not `exists`, which would leave a watch on a missing node indefinitely (H14).
      await this.#tellOwner(path, this.#nodes.listen(path));
    } catch (error) {
      // The watch is set even if the reply is too large, and only a message needs the owner.
      if (hasCode(error, 'REPLY_TOO_LARGE')) return;
      this.#nodes.unlisten(path);
      if (hasCode(error, 'NO_NODE')) return this.#nodes.markGone(path);
      if (!hasCode(error, 'NO_AUTH')) throw error;
      await Promise.all(this.#nodes.watch([path], this.node.bounds));
    }
  }

  async #followPermits(): Promise<void> {
    const { lockPath, bounds } = this.node;
    if (this.#nodes.isWatched(lockPath)) return;
    const listener = this.#nodes.listen(lockPath);
    try {
      this.#permits = await this.context.watchedPermits.follow(this.node, bounds, listener);
    } catch (error) {
      this.#nodes.unlisten(lockPath);
      if (!hasCode(error, 'NO_NODE')) throw error;
      this.#nodes.markGone(lockPath);
    }
  }

  /**
   * Resolves when a watch has fired. Checks after a session timeout, in the order of the paths, so that a lost notification
   * cannot block a waiter.
   *
   * @returns true if it is time for a list: its owner may have failed with a lock that comes before all those that are watched
   */
  async #changed(paths: readonly string[]): Promise<boolean> {
    const { timeout } = this.node.session;
    const nearest = paths[0]!;
    const hasFired = (): boolean => !paths.every((path) => this.#nodes.isWatched(path));
    if (hasFired() || (await this.#event(READ_OWNER_AFTER_MS))) return false;
    this.#readOwnerAhead(nearest);
    let waited = 0;
    do {
      const isRead = this.#told === nearest;
      const pause = isRead ? timeout : Math.min(timeout, LOOK_AT_UNREAD_AFTER_MS);
      if (hasFired() || (await this.#event(pause))) return false;
      waited += pause;
      if (isRead || this.#told !== nearest) await this.#look(paths);
      if (waited >= timeout && this.request.failure === 'closed') return true;
    } while (!this.#isAnyGone(paths));
    return false;
  }

  async #look(paths: readonly string[]): Promise<void> {
    const first = this.#looks % paths.length;
    this.#looks += LOOKS;
    for (const path of [...paths.slice(first), ...paths.slice(0, first)].slice(0, LOOKS)) {
      try {
        const stat = await this.node.session.client.exists(path, this.node.bounds);
        if (stat === null) this.#nodes.markGone(path);
      } catch (error) {
        // Servers check the permission to read only if the node exists.
        if (!hasCode(error, 'NO_AUTH')) throw error;
      }
    }
  }

  /**
   * Not awaited: no grant is late for the sake of a message. If it fails, the watch tells what has happened to the node, and
   * the wait itself learns what ended it.
   */
  #readOwnerAhead(path: string): void {
    if (this.#told === path) return;
    this.#tellOwner(path).catch((error: unknown) => {
      if (hasCode(error, 'NO_NODE')) this.#wake(false);
    });
  }

  /** Only for a message, and not once the owner has left or the wait is over. */
  async #tellOwner(path: string, watch?: WatchListener): Promise<void> {
    const { data } = await this.node.session.client.getData(path, { ...this.node.bounds, watch });
    this.#told = path;
    const record = readOwner(data);
    if (record === undefined || !this.#nodes.isWatched(path)) return;
    this.request.onPredecessor({ owner: record.owner, staysClosed: isClosed(nameOf(path)) });
  }

  /** True when a watch fires; false after `ms`, or when there is a reason to look before. */
  #event(ms: number): Promise<boolean> {
    return abortable(this.request.abort, (resolve) => {
      this.#wake = resolve;
      const timer = this.context.clock.setTimer(() => resolve(false), ms);
      return () => timer.cancel();
    });
  }

  #isAnyGone(paths: readonly string[]): boolean {
    return paths.some((path) => this.#nodes.isGone(path));
  }

  #pathOf(name: string): string {
    return `${this.node.lockPath}/${name}`;
  }
}
