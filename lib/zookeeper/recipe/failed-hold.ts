import type { EnterRequest } from '../../locking/lock-provider.interface.js';
import type { Stat } from '../protocol/stat.js';
import type { ZooKeeperClient } from '../client/zookeeper-client.interface.js';
import { hasCode } from '../client/zookeeper-error.js';
import { readClosed, type ClosedRecord } from './closed-record.js';
import { holderPath } from './lock-path.js';
import type { RecipeContext } from './recipe-context.js';

/** The paths of the node of a closed lock, and of the lock. */
export interface ClosedPaths {
  readonly path: string;
  readonly lockPath: string;
}

/**
 * `held`: by a holder whose session has not ended; `moving`: only a later look tells, because it is held by this process, in no
 * session at the moment, or has a child that may be of anybody; `notOurs`: of another owner, of nobody who has ever held the lock,
 * or gone.
 */
export type NotAdopted = 'held' | 'moving' | 'notOurs';

/** The last hold of a holder that has failed, of the same owner as the request. */
export interface FailedHold {
  readonly record: ClosedRecord;
  readonly stat: Stat;
}

/** @param ownHold the uuid of a hold that the caller may have made itself: it is returned although its holder is there */
export async function failedHold(
  client: ZooKeeperClient,
  { path, lockPath }: ClosedPaths,
  { owner, abort, immediate }: EnterRequest,
  { closedHolds }: RecipeContext,
  ownHold?: string,
): Promise<FailedHold | NotAdopted> {
  const bounds = { abort, lane: lockPath };
  // A lagging follower may show an earlier hold. Whoever waits watches what it shows, so that it hears when that is over.
  for (let isCertain = immediate || ownHold !== undefined; ; isCertain = true) {
    try {
      const [, { data, stat }, holder] = await Promise.all([
        isCertain ? client.commit(bounds) : undefined,
        client.getData(path, bounds),
        client.exists(holderPath(path), bounds),
      ]);
      const record = readClosed(data);
      // All holds of a node have the same owner.
      if (record !== undefined && record.owner.owner !== owner.owner) return 'notOurs';
      if (record !== undefined && record.hold === ownHold) return { record, stat };
      // Also if somebody has overwritten the record: the holder writes it again (H37), and may turn out to be ours.
      if (holder !== null) return 'held';
      if (!isCertain) continue;
      if (record === undefined) return 'notOurs';
      // It is getting a new session, or is just being given up.
      return closedHolds.has(record.hold) ? 'moving' : { record, stat };
    } catch (error) {
      // A record that cannot be read is not written by this owner. The lock is waited for, as by all others.
      if (hasCode(error, 'NO_NODE', 'NO_AUTH', 'REPLY_TOO_LARGE')) return 'notOurs';
      throw error;
    }
  }
}
