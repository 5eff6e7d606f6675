import { abortable } from '../../locking/abortable.js';
import type { Clock } from '../../locking/clock.js';
import type { EnterRequest } from '../../locking/lock-provider.interface.js';
import type { WatchEvent, WatchListener } from '../client/zookeeper-client.interface.js';
import { hasCode } from '../client/zookeeper-error.js';
import type { ContenderNode } from './contender-node.js';
import { readOwner } from './owner-record.js';

/**
 * Resolves when the contender directly ahead of `node` has gone: list again then. A lost connection is no reason to list:
 * names are never given twice and nobody gets in between, so it is the same one that is watched again (H11, H62).
 * Throws as `SessionRequests.recover` does.
 */
export async function untilPredecessorIsGone(
  node: ContenderNode,
  predecessor: string,
  request: EnterRequest,
  clock: Clock,
): Promise<void> {
  const path = `${node.lockPath}/${predecessor}`;
  while (!(await isGone(node, path, request, clock))) await node.requests.reattached();
}

/** False if it has changed, or if its watch has ended with the connection. */
async function isGone(
  node: ContenderNode,
  path: string,
  { signal, onPredecessor }: EnterRequest,
  clock: Clock,
): Promise<boolean> {
  const { client, timeout } = node.session;
  const wake = new Wake();
  try {
    // getData and not exists: on a missing node, exists would leave a watch behind for ever (H14).
    const data = await client
      .getData(path, { ...node.bounds, watch: wake.watch })
      .then(({ data }) => data, unlessTooLarge);
    const owner = data && readOwner(data);
    if (owner !== undefined) onPredecessor(owner.owner);
    for (;;) {
      const event = await wake.within(timeout, signal, clock);
      if (event !== undefined) return event.type === 'deleted';
      // Nothing for a session timeout: a look of our own, so that no lost notification can leave a waiter asleep.
      if ((await client.exists(path, node.bounds)) === null) return true;
    }
  } catch (error) {
    if (hasCode(error, 'NO_NODE')) return true;
    await node.requests.recover(error);
    return false;
  } finally {
    client.removeWatch(path, 'data', wake.watch);
  }
}

/** The watch is set all the same, and the owner is not worth more. */
function unlessTooLarge(error: unknown): undefined {
  if (!hasCode(error, 'REPLY_TOO_LARGE')) throw error;
}

/** A watch that one waiter listens to: it fires for a change, or because its connection has ended. */
class Wake {
  #event: WatchEvent | undefined;
  #hear: (event: WatchEvent) => void = () => {};

  readonly watch: WatchListener = (event) => {
    this.#event = event;
    this.#hear(event);
  };

  /** The event as soon as it has come, undefined after `ms` without. */
  async within(ms: number, signal: AbortSignal, clock: Clock): Promise<WatchEvent | undefined> {
    if (this.#event !== undefined) return this.#event;
    return abortable<WatchEvent | undefined>(signal, (resolve) => {
      this.#hear = resolve;
      const timer = clock.setTimer(() => resolve(undefined), ms);
      return () => timer.cancel();
    });
  }
}
