import { abortable } from '../../locking/abortable.js';
import type { Clock } from '../../locking/clock.js';
import type { EnterRequest } from '../../locking/lock-provider.interface.js';
import type { WatchEvent, WatchListener } from '../client/zookeeper-client.interface.js';
import { hasCode } from '../client/zookeeper-error.js';
import { debugStep } from '../debug-log.js';
import type { ContenderNode } from './contender-node.js';
import { readOwner } from './owner-record.js';

/**
 * Tells a waiting contender when others ahead of it leave the queue, by watches on their nodes. After a lost connection it
 * watches the same contenders again without a list, because names are unique and no contender can get in between (H11, H62).
 */
export class Departures {
  /** Watches that are set and have not fired, by name of the contender. */
  readonly #watches = new Map<string, WatchListener>();
  readonly #gone = new Set<string>();
  #isUninterrupted = true;
  #wake: () => void = () => {};

  constructor(
    private readonly node: ContenderNode,
    private readonly request: EnterRequest,
    private readonly clock: Clock,
  ) {}

  /** False after a failed request or a lost connection: what has happened meanwhile is unknown. */
  get isUninterrupted(): boolean {
    return this.#isUninterrupted;
  }

  hasLeft(name: string): boolean {
    return this.#gone.has(name);
  }

  /**
   * Resolves when one of the contenders has left. Throws as `SessionRequests.recover` does.
   *
   * @param predecessor the one directly ahead, whose owner the request is told
   */
  async next(predecessor: string, other?: string): Promise<void> {
    const names = other === undefined ? [predecessor] : [predecessor, other];
    for (;;) {
      try {
        await Promise.all(names.map((name) => this.#watch(name, name === predecessor)));
        await this.#changed(names);
      } catch (error) {
        this.#isUninterrupted = false;
        await this.node.requests.recover(error);
      }
      if (names.some((name) => this.#gone.has(name))) return;
      await this.node.requests.reattached();
    }
  }

  /** Sets a watch that `next` will need. If that fails, `next` does it again. */
  async prepare(name: string): Promise<void> {
    await this.#watch(name, false).catch(() => {
      this.#isUninterrupted = false;
    });
  }

  /** Removes the watches that are left (H15). That on the own node goes with it. */
  end(): void {
    const { client } = this.node.session;
    this.#watches.delete(this.node.name);
    for (const [name, listener] of this.#watches) client.removeWatch(this.#pathOf(name), 'data', listener);
    this.#watches.clear();
  }

  async #watch(name: string, isPredecessor: boolean): Promise<void> {
    if (this.#watches.has(name) || this.#gone.has(name)) return;
    const path = this.#pathOf(name);
    if (name !== this.node.name) debugStep('queue', 'watching', { path: this.node.path, predecessor: path });
    const listener = (event: WatchEvent): void => this.#fired(name, event);
    this.#watches.set(name, listener);
    try {
      // Not `exists`, which would leave a watch on a missing node indefinitely (H14).
      const { data } = await this.node.session.client.getData(path, { ...this.node.bounds, watch: listener });
      const owner = isPredecessor ? readOwner(data) : undefined;
      if (owner !== undefined) this.request.onPredecessor(owner.owner);
    } catch (error) {
      // The watch is set even if the reply is too large, and only a message needs the owner.
      if (hasCode(error, 'REPLY_TOO_LARGE')) return;
      this.#watches.delete(name);
      if (!hasCode(error, 'NO_NODE')) throw error;
      this.#gone.add(name);
    }
  }

  #fired(name: string, { type }: WatchEvent): void {
    this.#watches.delete(name);
    if (type === 'deleted') this.#gone.add(name);
    if (type === 'disconnected') this.#isUninterrupted = false;
    this.#wake();
  }

  /** Resolves when a watch has fired. Checks after a session timeout, so that a lost notification cannot block a waiter. */
  async #changed(names: readonly string[]): Promise<void> {
    const { client, timeout } = this.node.session;
    for (;;) {
      if (!names.every((name) => this.#watches.has(name))) return;
      const fired = await this.#event(timeout);
      if (fired) return;
      for (const name of names) {
        if ((await client.exists(this.#pathOf(name), this.node.bounds)) === null) this.#gone.add(name);
      }
      if (names.some((name) => this.#gone.has(name))) return;
    }
  }

  /** True when a watch fires, false after `ms`. */
  #event(ms: number): Promise<boolean> {
    return abortable(this.request.abort, (resolve) => {
      this.#wake = () => resolve(true);
      const timer = this.clock.setTimer(() => resolve(false), ms);
      return () => timer.cancel();
    });
  }

  #pathOf(name: string): string {
    return `${this.node.lockPath}/${name}`;
  }
}
