import { commitFenced } from '../../../lib/fencing/znode/commit-fenced.js';
import { StaleFencingTokenError } from '../../../lib/locking/errors/stale-fencing-token.error.js';
import { nanoseconds } from '../../history/moments.js';
import type { GuardedWrite } from '../../history/run-history.js';
import type { Random } from '../world/random.js';
import type { Scheduler } from '../world/scheduler.js';
import { FenceServer } from './fence-server.js';

/** How long a message may be on its way, ms. */
const LONGEST_WAY_MS = 50;

/** What the locks protect: nodes of another ZooKeeper, each behind a fence of the library. */
export class GuardedResource {
  readonly writes: GuardedWrite[] = [];
  readonly #server: FenceServer;

  constructor(
    private readonly scheduler: Scheduler,
    private readonly random: Random,
  ) {
    this.#server = new FenceServer(() => scheduler.now);
  }

  /**
   * Resolves with whether the write was accepted.
   *
   * @param now when the first message leaves
   * @throws what `commitFenced` throws for other reasons than the token
   */
  async write(now: number, write: Omit<GuardedWrite, 'at' | 'accepted'>): Promise<boolean> {
    const record = (accepted: boolean): void =>
      void this.writes.push({ ...write, accepted, at: nanoseconds(this.scheduler.now) });
    const client = this.#server.client(
      (arrived) => this.#travel(now, arrived),
      () => record(true),
    );
    const { resource, token: fencingToken } = write;
    try {
      await commitFenced(client, `/${encodeURIComponent(resource)}`, { resource, fencingToken }, () => {});
      return true;
    } catch (error) {
      if (!(error instanceof StaleFencingTokenError)) throw error;
      record(false);
      return false;
    }
  }

  #travel(earliest: number, arrived: () => void): void {
    const way = this.random.chance(0.1) ? LONGEST_WAY_MS : 1;
    const leaves = Math.max(earliest, this.scheduler.now);
    this.scheduler.schedule(leaves + this.random.between(0, way), () => {
      arrived();
      // The writer continues in a microtask.
      this.scheduler.codeRan(() => {});
    });
  }
}
