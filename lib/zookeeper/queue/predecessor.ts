import { abortable } from '../../locking/abortable.js';
import type { Clock } from '../../locking/clock.js';
import type { EnterRequest } from '../../locking/lock-provider.interface.js';
import type { WatchListener } from '../driver/zookeeper-driver.interface.js';
import { hasCode } from '../driver/zookeeper-error.js';
import type { ContenderNode } from './contender-node.js';
import { readOwner } from './owner-record.js';

/**
 * Resolves when the contender directly ahead of `node` has gone or changed, or when the watch on it is no more: list again
 * then. Throws as `SessionRequests.recover` does.
 */
export async function untilPredecessorChanges(
  node: ContenderNode,
  predecessor: string,
  { signal, behind }: EnterRequest,
  clock: Clock,
): Promise<void> {
  const { driver, timeout } = node.session;
  const path = `${node.lockPath}/${predecessor}`;
  const { changed, watch } = watchOnce();
  try {
    // getData and not exists: on a missing node, exists would leave a watch behind for ever (H14).
    const { data } = await driver.getData(path, { watch, signal });
    const owner = readOwner(data);
    if (owner !== undefined) behind(owner.owner);
    while (!(await heardWithin(timeout, changed, signal, clock))) {
      // Nothing for a session timeout: a look of our own, so that no lost notification can leave a waiter asleep.
      if ((await driver.exists(path, { signal })) === null) return;
    }
  } catch (error) {
    if (!hasCode(error, 'NO_NODE')) await node.requests.recover(error);
  } finally {
    driver.removeWatch(path, 'data', watch);
  }
}

/** A watch, and the promise that it fires: for a change, or because its connection has ended. */
function watchOnce(): { changed: Promise<void>; watch: WatchListener } {
  let watch: WatchListener = () => {};
  const changed = new Promise<void>((resolve) => (watch = () => resolve()));
  return { changed, watch };
}

/** True as soon as the watch has fired, false after `ms` without. */
function heardWithin(
  ms: number,
  changed: Promise<void>,
  signal: AbortSignal,
  clock: Clock,
): Promise<boolean> {
  return abortable(signal, (resolve) => {
    void changed.then(() => resolve(true));
    const timer = clock.setTimer(() => resolve(false), ms);
    return () => timer.cancel();
  });
}
