import { abortable } from '../../locking/abortable.js';
import type { Clock } from '../../locking/clock.js';
import type { EnterRequest } from '../../locking/lock-provider.interface.js';
import type { WatchEvent, WatchListener } from '../client/zookeeper-client.interface.js';
import { hasCode } from '../client/zookeeper-error.js';
import { debugStep } from '../debug-log.js';
import type { ContenderNode } from './contender-node.js';
import { readOwner } from './owner-record.js';

/**
 * Resolves when the contender directly ahead of `node` is gone; the caller then lists again. After a lost connection,
 * watches the same contender again without a list, because names are unique and no contender can get in between (H11, H62).
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

/** Waits for an event; false if the contender has only changed, or its watch has ended with the connection. */
async function isGone(
  node: ContenderNode,
  path: string,
  { signal, onPredecessor }: EnterRequest,
  clock: Clock,
): Promise<boolean> {
  const { client, timeout } = node.session;
  const next = new PredecessorEvent();
  debugStep('queue', 'watching', { path: node.path, predecessor: path });
  try {
    // Not `exists`, which would leave a watch on a missing node indefinitely (H14).
    const data = await client
      .getData(path, { ...node.bounds, watch: next.watch })
      .then(({ data }) => data, unlessTooLarge);
    const owner = data && readOwner(data);
    if (owner !== undefined) onPredecessor(owner.owner);
    for (;;) {
      const event = await next.within(timeout, signal, clock);
      if (event !== undefined) return event.type === 'deleted';
      // No event for a session timeout: check, so that a lost notification cannot block a waiter.
      if ((await client.exists(path, node.bounds)) === null) return true;
    }
  } catch (error) {
    if (hasCode(error, 'NO_NODE')) return true;
    await node.requests.recover(error);
    return false;
  } finally {
    client.removeWatch(path, 'data', next.watch);
  }
}

/** The watch is set even if the reply is too large, and only a message needs the owner. */
function unlessTooLarge(error: unknown): undefined {
  if (!hasCode(error, 'REPLY_TOO_LARGE')) throw error;
}

/** A watch with one waiter. It fires for a change, or at the end of its connection. */
class PredecessorEvent {
  #event: WatchEvent | undefined;
  #onEvent: (event: WatchEvent) => void = () => {};

  readonly watch: WatchListener = (event) => {
    this.#event = event;
    this.#onEvent(event);
  };

  /** Resolves with the event as soon as there is one, or with undefined after `ms`. */
  async within(ms: number, signal: AbortSignal, clock: Clock): Promise<WatchEvent | undefined> {
    if (this.#event !== undefined) return this.#event;
    return abortable<WatchEvent | undefined>(signal, (resolve) => {
      this.#onEvent = resolve;
      const timer = clock.setTimer(() => resolve(undefined), ms);
      return () => timer.cancel();
    });
  }
}
