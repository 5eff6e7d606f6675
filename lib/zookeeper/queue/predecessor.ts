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
  const wake = new Wake();
  try {
    // getData and not exists: on a missing node, exists would leave a watch behind for ever (H14).
    const data = await driver
      .getData(path, { watch: wake.watch, signal })
      .then(({ data }) => data, unlessTooLarge);
    const owner = data && readOwner(data);
    if (owner !== undefined) behind(owner.owner);
    while (!(await wake.within(timeout, signal, clock))) {
      // Nothing for a session timeout: a look of our own, so that no lost notification can leave a waiter asleep.
      if ((await driver.exists(path, { signal })) === null) return;
    }
  } catch (error) {
    if (!hasCode(error, 'NO_NODE')) await node.requests.recover(error);
  } finally {
    driver.removeWatch(path, 'data', wake.watch);
  }
}

/** The watch is set all the same, and the owner is not worth more. */
function unlessTooLarge(error: unknown): undefined {
  if (!hasCode(error, 'REPLY_TOO_LARGE')) throw error;
}

/** A watch that one waiter listens to: it fires for a change, or because its connection has ended. */
class Wake {
  #fired = false;
  #hear: () => void = () => {};

  readonly watch: WatchListener = () => {
    this.#fired = true;
    this.#hear();
  };

  /** True as soon as it has fired, false after `ms` without. */
  async within(ms: number, signal: AbortSignal, clock: Clock): Promise<boolean> {
    if (this.#fired) return true;
    return abortable(signal, (resolve) => {
      this.#hear = () => resolve(true);
      const timer = clock.setTimer(() => resolve(false), ms);
      return () => timer.cancel();
    });
  }
}
