import type { Timer } from '../../locking/clock.js';
import type { LossReason } from '../../locking/errors/lock-lost.error.js';
import type {
  GrantListener,
  Note,
  Others,
  Release,
  ShareableGrant,
} from '../../locking/lock-provider.interface.js';
import type { WatchEvent } from '../client/zookeeper-client.interface.js';
import { ZooKeeperError, hasCode } from '../client/zookeeper-error.js';
import { debugStep } from '../debug-log.js';
import type { SessionEnd, SessionObserver } from '../session-observer.interface.js';
import { NodeRelease } from './node-release.js';
import { fencingToken, LOCAL_GRANTS, tokenOf } from './fencing-token.js';
import type { HeldNode } from './held-node.interface.js';
import { LockNote } from './lock-note.js';
import type { RecipeContext } from './recipe-context.js';
import { isRevokeRequest } from './revoke-request.js';
import { SESSION_LOSS } from './session-loss.js';

/** `held` → `lost` or `released`. */
type GrantState = 'held' | 'lost' | 'released';

/** The grant of a lock, by its node, which it watches for as long as it is held. Others that want the lock are not known. */
export class ZooKeeperGrant implements ShareableGrant, SessionObserver {
  readonly busy = false;
  readonly behind: Others = 'some';
  readonly fencingToken: bigint;
  readonly #stopObserving: () => void;
  readonly #watch = (event: WatchEvent) => this.#changed(event);
  #state: GrantState = 'held';
  #listener: GrantListener | undefined;
  #loss: { reason: LossReason; cause: unknown } | undefined;
  #watchTimer: Timer | undefined;
  #watching = false;
  #refusals = 0;
  /** The version of the data with the last request to release the lock. */
  #requestVersion: number | undefined;
  #release: Release | undefined;

  constructor(
    protected readonly node: HeldNode,
    protected readonly context: RecipeContext,
  ) {
    this.fencingToken = tokenOf(node.czxid, node.resource);
    debugStep('queue', 'granted', () => ({ path: node.path, token: this.fencingToken }));
    this.#stopObserving = node.session.observe(this);
    this.#watchTimer = context.clock.setTimer(() => void this.#watchNode(), node.watchAfterMs);
  }

  get deadline(): number {
    return this.#state === 'lost' ? -Infinity : this.node.session.deadline;
  }

  get isSuspended(): boolean {
    return this.node.session.isSuspended;
  }

  get note(): Note {
    return new LockNote(this.node, this.context, () => this.#missing());
  }

  localToken(n: number): bigint | undefined {
    return n < LOCAL_GRANTS ? fencingToken(this.node.czxid, n) : undefined;
  }

  async othersBehind(_joined: () => void): Promise<Others> {
    return this.behind;
  }

  listen(listener: GrantListener): void {
    this.#listener = listener;
    if (this.#loss !== undefined) listener.lost(this.#loss.reason, this.#loss.cause);
  }

  settle(): void {
    const { session } = this.node;
    session.settle();
    if (session.end !== undefined) this.ended(session.end);
  }

  release(): Release {
    this.#release ??= this.#startRelease();
    return this.#release;
  }

  deadlinePassed(): void {
    this.#lose('session');
  }

  ended(end: SessionEnd): void {
    this.#lose(SESSION_LOSS[end]);
  }

  connected(): void {
    if (this.#watching) void this.#watchNode();
  }

  #startRelease(): Release {
    const kept = this.#state === 'held';
    if (kept) {
      this.#state = 'released';
      this.ending();
    }
    this.#stopWatching();
    return new NodeRelease(this.node.session, (progress) =>
      this.node.leave('grant', progress).then((removal) => {
        debugStep('queue', 'released', () => ({ path: this.node.path, result: removal }));
        // Absent: another client has deleted it. If the session ended, the lock was held until then.
        return kept && removal !== 'absent';
      }),
    );
  }

  /** It is about to be given up, as planned. */
  protected ending(): void {}

  /** The watch reports within a round trip that another client deletes or marks the node (H36). */
  async #watchNode(): Promise<void> {
    this.#watchTimer?.cancel();
    this.#watching = true;
    try {
      const { path, session } = this.node;
      const { data, stat } = await session.client.getData(path, { watch: this.#watch });
      this.#refusals = 0;
      if (!this.node.isThis(stat)) {
        session.client.removeWatch(path, 'data', this.#watch);
        return this.#lose('deleted');
      }
      if (this.#state === 'held' && isRevokeRequest(data)) await this.#revokeRequested(stat.version);
    } catch (error) {
      if (hasCode(error, 'NO_NODE')) return this.#lose('deleted');
      if (!(error instanceof ZooKeeperError)) throw error;
      // After a lost connection, `connected` sets the watch again. If the reply was too large, the watch is set.
      if (!hasCode(error, 'CONNECTION_LOSS', 'REPLY_TOO_LARGE')) this.#watchLater();
    }
  }

  /**
   * Every request is reported once, although it may be read again on a later connection: another caller of this process may
   * hold the lock by then. The record comes back, because others want to know who holds the lock.
   */
  async #revokeRequested(version: number): Promise<void> {
    if (this.#requestVersion !== version) this.#listener?.revokeRequested();
    this.#requestVersion = version;
    const { record, path, session } = this.node;
    if (this.#state !== 'held' || record === undefined) return;
    try {
      await session.client.setData(path, record, version);
    } catch (error) {
      // The record is only for humans. A later request, or the deletion of the node, is seen by the watch.
      if (!(error instanceof ZooKeeperError)) throw error;
    }
  }

  /** The server throttles requests, or an ACL has changed: both may be temporary. */
  #watchLater(): void {
    this.node.interrupted();
    if (this.#state !== 'held') return;
    const { clock, retry } = this.context;
    this.#refusals += 1;
    const delay = retry.delay(this.#refusals, this.node.session.timeout);
    this.#watchTimer = clock.setTimer(() => void this.#watchNode(), delay);
  }

  #changed({ type }: WatchEvent): void {
    if (this.#state !== 'held') return;
    if (type === 'deleted') this.#lose('deleted');
    else if (type !== 'disconnected') void this.#watchNode();
  }

  /** The node is gone. One that was lost before, with its session, has been deleted by this process. */
  #missing(): LossReason {
    this.#lose('deleted');
    return this.#loss?.reason ?? 'released';
  }

  #lose(reason: LossReason, cause?: unknown): void {
    // After a stall, the deletion of a session's nodes may be noticed before the deadline of the session.
    if (reason === 'deleted') this.settle();
    if (this.#state !== 'held') return;
    this.#state = 'lost';
    this.#loss = { reason, cause };
    if (reason === 'deleted') this.node.vanished();
    debugStep('queue', 'lost', () => ({ path: this.node.path, reason }));
    this.#stopWatching();
    this.#listener?.lost(reason, cause);
  }

  /** Keeps the watch on the server until the node is deleted: removing it would cost a request. */
  #stopWatching(): void {
    this.#stopObserving();
    this.#watchTimer?.cancel();
    this.#watching = false;
  }
}
