import type { RequestBounds, WatchEvent, WatchListener } from '../client/zookeeper-client.interface.js';
import type { ServerSession } from '../session/server-session.js';
import { readPermits } from './permits-data.js';

/** A lock path as one session sees it. */
interface WatchedPath {
  readonly session: ServerSession;
  readonly lockPath: string;
}

interface Watch {
  readonly permits: number | undefined;
  readonly listeners: Set<WatchListener>;
  readonly listener: WatchListener;
}

/**
 * The numbers of permits that watches on lock paths prove: all waiters of a session for one semaphore share a watch. As long as
 * it has not fired, no reply of the connection can show another number, because the notification would come first.
 */
export class WatchedPermits {
  readonly #bySession = new WeakMap<ServerSession, Map<string, Watch>>();

  /** Returns the same object while the number is certain. */
  find({ session, lockPath }: WatchedPath): { readonly permits: number | undefined } | undefined {
    return this.#bySession.get(session)?.get(lockPath);
  }

  /**
   * Reads the number, unless it is certain. The listener is called once when it may change, or `leave` is called before.
   *
   * @returns undefined if the lock path has no number. Throws as `getData` does.
   */
  async follow(
    path: WatchedPath,
    bounds: RequestBounds,
    listener: WatchListener,
  ): Promise<number | undefined> {
    const { session, lockPath } = path;
    const watches = this.#of(session);
    if (this.#join(watches.get(lockPath), listener)) return watches.get(lockPath)?.permits;
    const listeners = new Set([listener]);
    let hasFired = false;
    const fired = (event: WatchEvent): void => {
      hasFired = true;
      if (watches.get(lockPath)?.listeners === listeners) watches.delete(lockPath);
      for (const one of listeners) one(event);
    };
    const { data } = await session.client.getData(lockPath, { ...bounds, watch: fired });
    const permits = readPermits(data);
    if (hasFired) return permits;
    // Another waiter may have been faster.
    if (this.#join(watches.get(lockPath), listener)) session.client.removeWatch(lockPath, 'data', fired);
    else watches.set(lockPath, { permits, listeners, listener: fired });
    return permits;
  }

  /** The last one that leaves takes the watch down (H15). */
  leave({ session, lockPath }: WatchedPath, listener: WatchListener): void {
    const watches = this.#of(session);
    const watch = watches.get(lockPath);
    if (watch?.listeners.delete(listener) !== true || watch.listeners.size > 0) return;
    watches.delete(lockPath);
    session.client.removeWatch(lockPath, 'data', watch.listener);
  }

  #join(watch: Watch | undefined, listener: WatchListener): boolean {
    watch?.listeners.add(listener);
    return watch !== undefined;
  }

  #of(session: ServerSession): Map<string, Watch> {
    const watches = this.#bySession.get(session) ?? new Map<string, Watch>();
    this.#bySession.set(session, watches);
    return watches;
  }
}
