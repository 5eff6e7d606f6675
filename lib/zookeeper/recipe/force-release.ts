import type { Step } from '../client/zookeeper-client.interface.js';
import { ZooKeeperError, hasCode } from '../client/zookeeper-error.js';
import { readClosed } from './closed-record.js';
import { isClosed } from './contender-name.js';
import { ifThere } from './if-there.js';
import { listAfterCommit } from './list-after-commit.js';
import { holderPath, nameOf } from './lock-path.js';
import type { LockPathRequests } from './permits.js';

/** A node that is found to have children so often has one that is not `holder`. */
const FOREIGN_CHILD = 3;

/**
 * Removes the node of a closed lock, whoever holds it, if it has this token. False if it has another one, or is gone. The
 * version protects a later hold of the same owner, which keeps the node, and names protect all other ones.
 */
export function forceRelease(
  { lockPath, requests, bounds }: LockPathRequests,
  token: bigint,
): Promise<boolean> {
  const { client } = requests.session;
  /** The node, if the reply to its deletion was lost. Its name is never used again. */
  let mayBeRemoved: string | undefined;
  return requests.persist(async () => {
    for (let found = await find(); found !== undefined; found = await find())
      if (await remove(found)) return true;
    return mayBeRemoved !== undefined;
  });

  async function find(): Promise<{ path: string; version: number } | undefined> {
    try {
      const children = await listAfterCommit(client, lockPath, bounds);
      // The same owner may have taken the lock over.
      if (mayBeRemoved !== undefined && children.includes(nameOf(mayBeRemoved))) mayBeRemoved = undefined;
      for (const name of children.filter(isClosed)) {
        const path = `${lockPath}/${name}`;
        // One whose caller could not prove its place is removed by it, and another one has the lock.
        const read = await ifThere(client.getData(path, bounds));
        if (read !== undefined && readClosed(read.data)?.token === token)
          return { path, version: read.stat.version };
      }
    } catch (error) {
      if (!hasCode(error, 'NO_NODE')) throw error;
    }
    return undefined;
  }

  /** False if it is gone, or its data have changed: its holder may have written its record again. */
  async function remove({ path, version }: { path: string; version: number }): Promise<boolean> {
    const node: Step = { op: 'delete', path, version };
    const holder: Step = { op: 'delete', path: holderPath(path) };
    for (let hasHolder = false, children = 0; ;) {
      try {
        await client.transact(hasHolder ? [holder, node] : [node], bounds);
        return true;
      } catch (error) {
        // The child comes and goes with the sessions of the holder. What stays is of somebody else.
        if (hasCode(error, 'NOT_EMPTY') && (children += 1) < FOREIGN_CHILD) hasHolder = true;
        else if (hasCode(error, 'NO_NODE') && error.path === holder.path) hasHolder = false;
        else if (hasCode(error, 'NO_NODE', 'BAD_VERSION')) return false;
        else {
          if (error instanceof ZooKeeperError && error.mayHaveBeenApplied) mayBeRemoved = path;
          throw error;
        }
      }
    }
  }
}
