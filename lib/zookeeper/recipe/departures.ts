import { abortable } from '../../locking/abortable.js';
import type { EnterRequest } from '../../locking/lock-provider.interface.js';
import type { WatchEvent, WatchListener } from '../client/zookeeper-client.interface.js';
import { hasCode } from '../client/zookeeper-error.js';
import { debugStep } from '../debug-log.js';
import type { ContenderNode } from './contender-node.js';
import { readOwner } from './owner-record.js';
import type { RecipeContext } from './recipe-context.js';

/**
 * Tells a waiting contender when others ahead of it leave the queue, by watches on their nodes. After a lost connection it
 * watches the same contenders again without a list, because names are unique and no contender can get in between (H11, H62).
 */
export class Departures {
  /** Watches that are set and have not fired, by path. */
  readonly #watches = new Map<string, WatchListener>();
  readonly #gone = new Set<string>();
  /** As last read from the lock path. */
  #permits: number | undefined;
  #isUninterrupted = true;
  #wake: () => void = () => {};

  constructor(
    private readonly node: ContenderNode,
    private readonly request: EnterRequest,
    private readonly context: Pick<RecipeContext, 'clock' | 'watchedPermits'>,
  ) {}

  /** False after a failed request or a lost connection: what has happened meanwhile is unknown. */
  get isUninterrupted(): boolean {
    return this.#isUninterrupted;
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
        await Promise.all(paths.map((path) => this.#watch(path, path === paths[0])));
        if (this.#permits === permits) await this.#changed(paths);
      } catch (error) {
        this.#isUninterrupted = false;
        await this.node.requests.recover(error);
      }
      if (this.#permits !== permits) return true;
      // The number is certain only while its watch is set.
      if (paths.some((path) => this.#gone.has(path))) return isSemaphore && !this.#watches.has(lockPath);
      await this.node.requests.reattached();
    }
  }

  /** Sets a watch that `next` will need. If that fails, `next` does it again. */
  async prepare(name: string): Promise<void> {
    await this.#watch(this.#pathOf(name), false).catch(() => {
      this.#isUninterrupted = false;
    });
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

  async #watch(path: string, isPredecessor: boolean): Promise<void> {
    if (this.#watches.has(path) || this.#gone.has(path)) return;
    if (path !== this.node.path) debugStep('queue', 'watching', { path: this.node.path, predecessor: path });
    const listener = (event: WatchEvent): void => this.#fired(path, event);
    this.#watches.set(path, listener);
    try {
      if (path === this.node.lockPath) {
        this.#permits = await this.context.watchedPermits.follow(this.node, this.node.bounds, listener);
        return;
      }
      // Not `exists`, which would leave a watch on a missing node indefinitely (H14).
      const { data } = await this.node.session.client.getData(path, { ...this.node.bounds, watch: listener });
      const owner = isPredecessor ? readOwner(data) : undefined;
      if (owner !== undefined) this.request.onPredecessor(owner.owner);
    } catch (error) {
      // The watch is set even if the reply is too large, and only a message needs the owner.
      if (hasCode(error, 'REPLY_TOO_LARGE')) return;
      this.#watches.delete(path);
      if (!hasCode(error, 'NO_NODE')) throw error;
      this.#gone.add(path);
    }
  }

  #fired(path: string, { type }: WatchEvent): void {
    this.#watches.delete(path);
    if (type === 'deleted') this.#gone.add(path);
    if (type === 'disconnected') this.#isUninterrupted = false;
    this.#wake();
  }

  /** Resolves when a watch has fired. Checks after a session timeout, so that a lost notification cannot block a waiter. */
  async #changed(paths: readonly string[]): Promise<void> {
    const { client, timeout } = this.node.session;
    for (;;) {
      if (!paths.every((path) => this.#watches.has(path))) return;
      const fired = await this.#event(timeout);
      if (fired) return;
      for (const path of paths) {
        if ((await client.exists(path, this.node.bounds)) === null) this.#gone.add(path);
      }
      if (paths.some((path) => this.#gone.has(path))) return;
    }
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
