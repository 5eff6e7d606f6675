import { StaleFencingTokenError } from '../../locking/errors/stale-fencing-token.error.js';
import { assertFencedWrite, type FencedWrite } from '../fenced-write.js';

/**
 * Where `FencingGuard` remembers the largest token of every resource; also its injection token. All processes that serve the
 * resource must share the store.
 *
 * @publicApi
 * @example
 * const tokens = {
 *   provide: FencingTokenStore,
 *   useFactory: (pool: Pool) => ({ accept: (write: FencedWrite) => acceptFencingToken(pool, write) }),
 *   inject: [Pool],
 * };
 */
export abstract class FencingTokenStore {
  /**
   * Remembers the token as the newest one of its resource, unless a larger one has been accepted: atomically, also among
   * processes. An equal one is accepted.
   *
   * @throws StaleFencingTokenError if a larger one has been accepted
   */
  abstract accept(write: FencedWrite): Promise<void>;
}

/**
 * Remembers tokens in memory, until the process ends: for a resource that only one process serves, and whose state it does not
 * outlive. Its size grows with the number of resources.
 *
 * @publicApi
 */
export class InMemoryFencingTokenStore extends FencingTokenStore {
  readonly #newest = new Map<string, bigint>();

  /** @throws StaleFencingTokenError if a larger token has been accepted */
  override async accept(write: FencedWrite): Promise<void> {
    assertFencedWrite(write);
    const { resource, fencingToken } = write;
    const newest = this.#newest.get(resource);
    if (newest !== undefined && newest > fencingToken) throw new StaleFencingTokenError(write, { newest });
    this.#newest.set(resource, fencingToken);
  }
}
