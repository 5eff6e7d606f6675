import { abortable } from '../../locking/abortable.js';
import type { Clock } from '../../locking/clock.js';
import type { EnterRequest } from '../../locking/lock-provider.interface.js';
import type { WatchEvent } from '../client/zookeeper-client.interface.js';
import { hasCode } from '../client/zookeeper-error.js';
import { readOwner } from './owner-record.js';
import { isSimple } from './simple-data.js';
import type { SimpleNode } from './simple-node.js';

/** What stands at the lock path. */
export interface Occupant {
  /** False for a lock path with a queue. */
  readonly isHolder: boolean;
  readonly owner: string | undefined;
}

/** Reads who has a simple lock, and tells when that node is gone. */
export class HolderWatch {
  readonly #listener = (event: WatchEvent) => this.#fired(event);
  #isSet = false;
  #hasLeft = false;
  #wake: () => void = () => {};

  constructor(
    private readonly node: SimpleNode,
    private readonly request: EnterRequest,
    private readonly clock: Clock,
  ) {}

  /**
   * Reads the node, and watches it if the request waits; undefined if there is none. Throws as `SessionRequests.recover` does.
   *
   * A read after a refused create shows no older state, even of a lagging follower: the refusal is a transaction too, and
   * a server has executed all earlier ones when it passes it on.
   */
  read(): Promise<Occupant | undefined> {
    const { session, path, bounds, requests } = this.node;
    return requests.persist(async () => {
      this.#hasLeft = false;
      this.#isSet = !this.request.immediate;
      const watch = this.request.immediate ? undefined : this.#listener;
      try {
        // Not `exists`, which would leave a watch on a missing node indefinitely (H14).
        const { data, stat } = await session.client.getData(path, { ...bounds, watch });
        return { isHolder: isSimple(stat), owner: readOwner(data)?.owner };
      } catch (error) {
        this.#isSet = false;
        if (hasCode(error, 'NO_NODE')) return undefined;
        throw error;
      }
    });
  }

  /**
   * Resolves with true when the node is gone, and with false if it must be read again: also after a session timeout, so that a
   * lost notification cannot block a waiter. Throws as `SessionRequests.recover` does.
   */
  async left(): Promise<boolean> {
    if (this.#isSet) await this.#event();
    if (!this.#hasLeft) await this.node.requests.reconnected();
    return this.#hasLeft;
  }

  /** Removes the watch if it is left (H15). */
  end(): void {
    if (this.#isSet) this.node.session.client.removeWatch(this.node.path, 'data', this.#listener);
    this.#isSet = false;
  }

  #fired({ type }: WatchEvent): void {
    this.#isSet = false;
    this.#hasLeft = type === 'deleted';
    this.#wake();
  }

  #event(): Promise<void> {
    return abortable(this.request.abort, (resolve) => {
      this.#wake = () => resolve();
      const timer = this.clock.setTimer(() => resolve(), this.node.session.timeout);
      return () => timer.cancel();
    });
  }
}
