import type { Clock } from '../../locking/clock.js';
import type { CreateMode, RequestBounds, ZooKeeperClient } from '../client/zookeeper-client.interface.js';
import { hasCode } from '../client/zookeeper-error.js';
import type { Acl } from '../protocol/acl.js';
import type { Chroot } from './chroot.js';
import { parentOf } from './lock-path.js';

/** The server's reaper removes some 10,000 containers a minute at most; what comes faster has to go at once. */
const NEW_PATHS_PER_SECOND = 100;

/**
 * Lock paths and their parents: made when missing, gone when nobody needs them. They are containers, which the server
 * removes when their last child has gone; servers before 3.5.3 get persistent nodes, which the releaser removes.
 */
export class LockParents {
  #mode: CreateMode & ('container' | 'persistent') = 'container';
  #second = 0;
  #madeThisSecond = 0;
  #madeLastSecond = 0;

  constructor(
    private readonly acl: readonly Acl[],
    private readonly clock: Clock,
    private readonly chroot: Chroot,
  ) {}

  /**
   * Makes `path` and whatever is missing above it, up to the chroot. One that exists is fine.
   *
   * @throws LockConfigurationError if the chroot is missing and not to be created
   */
  async make(client: ZooKeeperClient, path: string, bounds: RequestBounds): Promise<void> {
    for (;;) {
      try {
        await client.create(path, { ...bounds, mode: this.#mode, acl: this.acl });
        this.#countNewPath();
        return;
      } catch (error) {
        if (hasCode(error, 'NODE_EXISTS')) return;
        if (hasCode(error, 'UNIMPLEMENTED') && this.#mode === 'container') {
          this.#mode = 'persistent';
          continue;
        }
        const parent = parentOf(path);
        if (parent === undefined || !hasCode(error, 'NO_NODE')) throw error;
        // The server may reap the parent again before the child comes: hence the loop, which the bounds end (H23).
        if (this.chroot.is(parent)) await this.chroot.make(client, bounds);
        else await this.make(client, parent, bounds);
      }
    }
  }

  /** A contender has left `path`: removes the path where the server would not, or not soon enough. Best effort. */
  tidy(client: ZooKeeperClient, path: string): void {
    if (this.#mode === 'persistent' || this.#manyNewPaths()) this.remove(client, path);
  }

  /**
   * Removes `path` if it is empty, in the background. Also for a path that never had a child: the server's reaper leaves
   * those alone.
   */
  remove(client: ZooKeeperClient, path: string): void {
    // NOT_EMPTY: others queue there. NO_NODE: somebody was faster. Anything else: the reaper comes by later.
    client.delete(path, { lane: path }).catch(() => {});
  }

  #manyNewPaths(): boolean {
    this.#turnSecond();
    return Math.max(this.#madeThisSecond, this.#madeLastSecond) >= NEW_PATHS_PER_SECOND;
  }

  #countNewPath(): void {
    this.#turnSecond();
    this.#madeThisSecond += 1;
  }

  #turnSecond(): void {
    const second = Math.floor(this.clock.monotonic() / 1_000);
    if (second === this.#second) return;
    this.#madeLastSecond = second === this.#second + 1 ? this.#madeThisSecond : 0;
    this.#madeThisSecond = 0;
    this.#second = second;
  }
}
