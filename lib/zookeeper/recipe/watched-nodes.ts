import type {
  RequestBounds,
  WatchEvent,
  WatchListener,
  ZooKeeperClient,
} from '../client/zookeeper-client.interface.js';

/**
 * Bytes of paths in a request: fewer than in any request that the client suspects to be too large for the servers, also for
 * semaphores with a thousand permits.
 */
const MOST_BYTES_IN_A_REQUEST = 1_900;
/** The length in front of a path. */
const LENGTH_BYTES = 4;

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
    return inParts(paths).map((part) => this.#watchTogether(part, bounds));
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

/** At least one path in each part. */
function inParts(paths: readonly string[]): string[][] {
  const parts: string[][] = [];
  let left = 0;
  for (const path of paths) {
    const bytes = LENGTH_BYTES + Buffer.byteLength(path);
    if (bytes > left) {
      parts.push([]);
      left = MOST_BYTES_IN_A_REQUEST;
    }
    parts.at(-1)!.push(path);
    left -= bytes;
  }
  return parts;
}
