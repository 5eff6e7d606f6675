import type {
  RequestBounds,
  WatchEvent,
  WatchListener,
  ZooKeeperClient,
} from '../client/zookeeper-client.interface.js';

/** So that a semaphore with thousands of permits does not exceed the largest request that servers accept. */
const MOST_IN_A_REQUEST = 100;

/** The nodes that one waiter watches, by path, and those that are gone. */
export class WatchedNodes {
  /** Watches that are set, or asked for, and have not fired. */
  readonly #watches = new Map<string, WatchListener>();
  readonly #gone = new Set<string>();

  /** @param fired called after each notification */
  constructor(
    private readonly client: ZooKeeperClient,
    private readonly fired: () => void,
  ) {}

  isWatched(path: string): boolean {
    return this.#watches.has(path);
  }

  isGone(path: string): boolean {
    return this.#gone.has(path);
  }

  /** The node turns out to be missing. Its watch, if there is one, has not fired. */
  markGone(path: string): void {
    this.#gone.add(path);
  }

  /** A node of this path has come back. */
  unmarkGone(path: string): void {
    this.#gone.delete(path);
  }

  /** The listener for a request that sets a watch; `unlisten` if that fails. */
  listen(path: string): WatchListener {
    const listener = (event: WatchEvent): void => this.#notified(path, event);
    this.#watches.set(path, listener);
    return listener;
  }

  unlisten(path: string): void {
    this.#watches.delete(path);
  }

  /** Sets watches with as few requests as possible. Leaves none on a node that is missing (H14). */
  watch(paths: readonly string[], bounds: RequestBounds): Promise<void>[] {
    const requests: Promise<void>[] = [];
    for (let start = 0; start < paths.length; start += MOST_IN_A_REQUEST) {
      requests.push(this.#watchTogether(paths.slice(start, start + MOST_IN_A_REQUEST), bounds));
    }
    return requests;
  }

  /** Ends all watches, each as `end` does it. */
  clear(end: (path: string, listener: WatchListener) => void): void {
    for (const [path, listener] of this.#watches) end(path, listener);
    this.#watches.clear();
  }

  async #watchTogether(paths: readonly string[], bounds: RequestBounds): Promise<void> {
    const listeners = new Map(paths.map((path) => [path, this.listen(path)]));
    try {
      await this.client.watchNodes(listeners, bounds);
    } catch (error) {
      for (const path of paths) this.#watches.delete(path);
      throw error;
    }
  }

  #notified(path: string, { type }: WatchEvent): void {
    this.#watches.delete(path);
    if (type === 'deleted') this.#gone.add(path);
    this.fired();
  }
}
