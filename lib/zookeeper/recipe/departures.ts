import { abortable } from '../../locking/abortable.js';
import type { EnterRequest } from '../../locking/lock-provider.interface.js';
import type { WatchEvent, WatchListener } from '../client/zookeeper-client.interface.js';
import { hasCode, ZooKeeperError } from '../client/zookeeper-error.js';
import { debugStep } from '../debug-log.js';
import type { ContenderNode } from './contender-node.js';
import { readOwner } from './owner-record.js';
import type { RecipeContext } from './recipe-context.js';

/** Only errors and warnings about long waits name the predecessor: a short wait is not worth the request that reads its owner. */
const READ_OWNER_AFTER_MS = 50;
/** So that a semaphore with thousands of permits does not exceed the largest request that servers accept. */
const MOST_IN_A_REQUEST = 100;

/**
 * Tells a waiting contender when others ahead of it leave the queue, by watches on their nodes. After a lost connection it
 * watches the same contenders again without a list, because names are unique and no contender can get in between (H11, H62).
 */
export class Departures {
  /** Watches that are set and have not fired, by path. */
  readonly #watches = new Map<string, WatchListener>();
  readonly #gone = new Set<string>();
  /** The path whose owner the request was told last. */
  #told: string | undefined;
  /** As last read from the lock path. */
  #permits: number | undefined;
  #wake: () => void = () => {};

  constructor(
    private readonly node: ContenderNode,
    private readonly request: EnterRequest,
    private readonly context: Pick<RecipeContext, 'clock' | 'watchedPermits'>,
  ) {}

  /** Proves that the node exists, after all whose departure is known by now. */
  isWatching(name: string): boolean {
    return this.#watches.has(this.#pathOf(name)) && !this.hasLeft(name);
  }

  hasLeft(name: string): boolean {
    return this.#gone.has(this.#pathOf(name));
  }

  /** A node of this name has come back. */
  forget(name: string): void {
    this.#gone.delete(this.#pathOf(name));
  }

  /**
   * Resolves when one of the contenders has left. Throws as `SessionRequests.recover` does.
   *
   * @param names the nearest contender first; the request is told the owner of that one
   * @param permits of the semaphore, as far as known
   * @returns true if there may be another number of permits now, even if nobody has left
   */
  async next(names: readonly string[], permits?: number): Promise<boolean> {
    const { lockPath } = this.node;
    const isSemaphore = this.request.permits !== undefined;
    const contenders = names.map((name) => this.#pathOf(name));
    const paths = isSemaphore ? [...contenders, lockPath] : contenders;
    for (;;) {
      try {
        await this.#watch(contenders, isSemaphore);
        if (this.#permits === permits) await this.#changed(paths);
      } catch (error) {
        await this.node.requests.recover(error);
      }
      if (this.#permits !== permits) return true;
      // The number is certain only while its watch is set.
      if (paths.some((path) => this.#gone.has(path))) return isSemaphore && !this.#watches.has(lockPath);
      await this.node.requests.reattached();
    }
  }

  /**
   * Removes the watches that are left (H15). That on the own node goes with it. With the lock, those on others that hold it
   * stay until they are given up, too: to remove them would cost a request for each.
   */
  end(hasLock: boolean): void {
    const { client } = this.node.session;
    this.#watches.delete(this.node.path);
    for (const [path, listener] of this.#watches) {
      if (path === this.node.lockPath) this.context.watchedPermits.leave(this.node, listener);
      else if (hasLock) client.forgetWatch(path, 'data', listener);
      else client.removeWatch(path, 'data', listener);
    }
    this.#watches.clear();
  }

  /** Watches those that are neither watched nor known to have left. Afterwards, no request is under way. */
  async #watch(paths: readonly string[], isSemaphore: boolean): Promise<void> {
    const missing = paths.filter((path) => !this.#watches.has(path) && !this.#gone.has(path));
    const requests = isSemaphore ? [this.#followPermits()] : [];
    // Far from the head, a wait is long enough to name the owner: the request for the watch reads it as well.
    if (paths.length === 1) requests.push(...missing.map((path) => this.#watchAndRead(path)));
    else requests.push(...this.#watchAll(missing));
    for (const outcome of await Promise.allSettled(requests)) {
      if (outcome.status === 'rejected') throw outcome.reason;
    }
  }

  *#watchAll(paths: readonly string[]): Iterable<Promise<void>> {
    for (let start = 0; start < paths.length; start += MOST_IN_A_REQUEST) {
      yield this.#watchNodes(paths.slice(start, start + MOST_IN_A_REQUEST));
    }
  }

  async #watchAndRead(path: string): Promise<void> {
    debugStep('queue', 'watching', () => ({ path: this.node.path, predecessor: path }));
    try {
      // Not `exists`, which would leave a watch on a missing node indefinitely (H14).
      await this.#tellOwner(path, this.#listen(path));
    } catch (error) {
      // The watch is set even if the reply is too large, and only a message needs the owner.
      if (hasCode(error, 'REPLY_TOO_LARGE')) return;
      this.#watches.delete(path);
      if (hasCode(error, 'NO_AUTH')) return this.#watchNodes([path]);
      if (!hasCode(error, 'NO_NODE')) throw error;
      this.#gone.add(path);
    }
  }

  async #watchNodes(paths: readonly string[]): Promise<void> {
    const { path: own, session, bounds } = this.node;
    const listeners = new Map(paths.map((path) => [path, this.#listen(path)]));
    for (const path of paths) {
      if (path !== own) debugStep('queue', 'watching', () => ({ path: own, predecessor: path }));
    }
    try {
      // Leaves no watch on a node that is missing (H14).
      await session.client.watchNodes(listeners, bounds);
    } catch (error) {
      for (const path of paths) this.#watches.delete(path);
      throw error;
    }
  }

  async #followPermits(): Promise<void> {
    const { lockPath, bounds } = this.node;
    if (this.#watches.has(lockPath)) return;
    const listener = this.#listen(lockPath);
    try {
      this.#permits = await this.context.watchedPermits.follow(this.node, bounds, listener);
    } catch (error) {
      this.#watches.delete(lockPath);
      if (!hasCode(error, 'NO_NODE')) throw error;
      this.#gone.add(lockPath);
    }
  }

  #listen(path: string): WatchListener {
    const listener = (event: WatchEvent): void => this.#fired(path, event);
    this.#watches.set(path, listener);
    return listener;
  }

  #fired(path: string, { type }: WatchEvent): void {
    this.#watches.delete(path);
    if (type === 'deleted') this.#gone.add(path);
    this.#wake();
  }

  /**
   * Resolves when a watch has fired. Checks after a session timeout, in the order of the paths, so that a lost notification
   * cannot block a waiter.
   */
  async #changed(paths: readonly string[]): Promise<void> {
    const { client, timeout } = this.node.session;
    const hasFired = (): boolean => !paths.every((path) => this.#watches.has(path));
    if (hasFired() || (await this.#event(READ_OWNER_AFTER_MS))) return;
    await this.#readOwner(paths[0]!);
    for (;;) {
      if (hasFired() || (await this.#event(timeout))) return;
      for (const path of paths) {
        if ((await client.exists(path, this.node.bounds)) === null) this.#gone.add(path);
      }
      if (paths.some((path) => this.#gone.has(path))) return;
    }
  }

  async #readOwner(path: string): Promise<void> {
    if (this.#told === path) return;
    try {
      await this.#tellOwner(path);
    } catch (error) {
      // The watch tells what has happened to the node.
      if (!(error instanceof ZooKeeperError)) throw error;
    }
  }

  /** Only for a message. */
  async #tellOwner(path: string, watch?: WatchListener): Promise<void> {
    const { data } = await this.node.session.client.getData(path, { ...this.node.bounds, watch });
    this.#told = path;
    const owner = readOwner(data);
    if (owner !== undefined) this.request.onPredecessor(owner.owner);
  }

  /** True when a watch fires, false after `ms`. */
  #event(ms: number): Promise<boolean> {
    return abortable(this.request.abort, (resolve) => {
      this.#wake = () => resolve(true);
      const timer = this.context.clock.setTimer(() => resolve(false), ms);
      return () => timer.cancel();
    });
  }

  #pathOf(name: string): string {
    return `${this.node.lockPath}/${name}`;
  }
}
