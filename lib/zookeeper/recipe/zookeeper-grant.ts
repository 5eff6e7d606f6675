import type { Timer } from '../../locking/clock.js';
import type { LossReason } from '../../locking/errors/lock-lost.error.js';
import type { GrantListener, Release, ShareableGrant } from '../../locking/lock-provider.interface.js';
import type { WatchEvent } from '../client/zookeeper-client.interface.js';
import { ZooKeeperError, hasCode } from '../client/zookeeper-error.js';
import { debugStep } from '../debug-log.js';
import type { SessionEnd, SessionObserver } from '../session-observer.interface.js';
import type { ContenderNode } from './contender-node.js';
import { ContenderRelease } from './contender-release.js';
import { sequenceOf } from './contender-name.js';
import { isShared } from './contender-queue.js';
import { fencingToken, LOCAL_GRANTS, tokenOf } from './fencing-token.js';
import type { RecipeContext } from './recipe-context.js';

/** Short holds rarely lose their node: the watch is worth a request only after this time. */
const WATCH_AFTER_MS = 250;
/** Data that Curator writes into a contender to ask its holder to release the lock. */
const REVOKE_REQUEST = '__REVOKE__';

const LOSS: Record<SessionEnd, LossReason> = {
  expired: 'session',
  authenticationFailed: 'authentication',
  closed: 'shutdown',
};

/** `held` → `lost` or `released`. */
type GrantState = 'held' | 'lost' | 'released';

/** The grant of a contender at the head of its queue. Watches its node for as long as it is held. */
export class ZooKeeperGrant implements ShareableGrant, SessionObserver {
  readonly busy = false;
  readonly fencingToken: bigint;
  readonly #stopObserving: () => void;
  readonly #watch = (event: WatchEvent) => this.#changed(event);
  #state: GrantState = 'held';
  #listener: GrantListener | undefined;
  #loss: { reason: LossReason; cause: unknown } | undefined;
  #watchTimer: Timer | undefined;
  #watching = false;
  #refusals = 0;
  #release: Release | undefined;

  /** @param behind how many contenders were behind it when it became the head */
  constructor(
    private readonly node: ContenderNode,
    readonly behind: number,
    private readonly context: RecipeContext,
  ) {
    this.fencingToken = tokenOf(node.czxid, node.resource);
    debugStep('queue', 'granted', { path: node.path, token: this.fencingToken });
    this.#stopObserving = node.session.observe(this);
    this.#watchTimer = context.clock.setTimer(() => void this.#watchNode(), WATCH_AFTER_MS);
  }

  get deadline(): number {
    return this.#state === 'lost' ? -Infinity : this.node.session.deadline;
  }

  localToken(n: number): bigint | undefined {
    return n < LOCAL_GRANTS ? fencingToken(this.node.czxid, n) : undefined;
  }

  /** The watch is not removed: it fires when the node is deleted. */
  async othersBehind(joined: () => void): Promise<number> {
    const { session, lockPath } = this.node;
    try {
      const children = await session.client.getChildren(lockPath, {
        watch: joined,
        priority: 'grant',
        lane: lockPath,
      });
      return children.filter((name) => sequenceOf(name) !== undefined).length - 1;
    } catch {
      return 1;
    }
  }

  listen(listener: GrantListener): void {
    this.#listener = listener;
    if (this.#loss !== undefined) listener.lost(this.#loss.reason, this.#loss.cause);
  }

  release(): Release {
    this.#release ??= this.#startRelease();
    return this.#release;
  }

  deadlinePassed(): void {
    this.#lose('session');
  }

  ended(end: SessionEnd): void {
    this.#lose(LOSS[end]);
  }

  connected(): void {
    if (this.#watching) void this.#watchNode();
  }

  #startRelease(): Release {
    const kept = this.#state === 'held';
    if (kept) this.#becomeFormer();
    this.#stopWatching();
    return new ContenderRelease(this.node.session, (sent) =>
      this.node.leave('grant', sent).then((removal) => {
        debugStep('queue', 'released', { path: this.node.path, result: removal });
        // Absent: another client has deleted it. If the session ended, the lock was held until then.
        return kept && removal !== 'absent';
      }),
    );
  }

  /** If others are behind, the next contender of this process cannot follow it. */
  #becomeFormer(): void {
    this.#state = 'released';
    const { session, lockPath, mode, name, czxid } = this.node;
    // Others that share the lock may still have it.
    if (isShared(mode)) return;
    if (this.behind === 0) this.context.formerHeads.put(session, lockPath, { name, czxid });
  }

  /** The watch reports within a round trip that another client deletes or marks the node (H36). */
  async #watchNode(): Promise<void> {
    this.#watchTimer?.cancel();
    this.#watching = true;
    try {
      const { data } = await this.node.session.client.getData(this.node.path, { watch: this.#watch });
      this.#refusals = 0;
      if (this.#state === 'held' && data.toString('utf8') === REVOKE_REQUEST)
        this.#listener?.revokeRequested();
    } catch (error) {
      if (hasCode(error, 'NO_NODE')) return this.#lose('deleted');
      if (!(error instanceof ZooKeeperError)) throw error;
      // After a lost connection, `connected` sets the watch again. If the reply was too large, the watch is set.
      if (!hasCode(error, 'CONNECTION_LOSS', 'REPLY_TOO_LARGE')) this.#watchLater();
    }
  }

  /** The server throttles requests, or an ACL has changed: both may be temporary. */
  #watchLater(): void {
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

  #lose(reason: LossReason, cause?: unknown): void {
    if (this.#state !== 'held') return;
    this.#state = 'lost';
    this.#loss = { reason, cause };
    debugStep('queue', 'lost', { path: this.node.path, reason });
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
