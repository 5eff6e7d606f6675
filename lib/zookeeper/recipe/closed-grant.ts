import type { Timer } from '../../locking/clock.js';
import type { LossReason } from '../../locking/errors/lock-lost.error.js';
import { LockUnavailableError } from '../../locking/errors/lock-unavailable.error.js';
import { escapeControls } from '../../locking/escape-controls.js';
import { LazyAbort } from '../../locking/lazy-abort.js';
import type { GrantListener, Note, Release, ShareableGrant } from '../../locking/lock-provider.interface.js';
import type { WatchEvent } from '../client/zookeeper-client.interface.js';
import { ZooKeeperError, hasCode } from '../client/zookeeper-error.js';
import { debugStep } from '../debug-log.js';
import { pauseBeforeRetry } from '../retry-pause.js';
import type { SessionEnd, SessionObserver } from '../session-observer.interface.js';
import type { ServerSession } from '../session/server-session.js';
import type { ClosedNode } from './closed-node.js';
import type { DeletionProgress } from './contender-cleanup.js';
import { WATCH_AFTER_MS } from './contender-node.js';
import { leaveClosed, removeClosed, type ClosedRemoval } from './closed-removal.js';
import { NodeRelease } from './node-release.js';
import { LockNote } from './lock-note.js';
import type { RecipeContext } from './recipe-context.js';
import { RefusalWarning } from './refusal-warning.js';
import { SESSION_LOSS } from './session-loss.js';

/** `held` → `lost` or `released`. */
type GrantState = 'held' | 'lost' | 'released';

/**
 * The grant of a lock with `failure: 'closed'`. It is not lost with a session, because its node stays: only when somebody
 * removes or takes over that node.
 */
export class ClosedGrant implements ShareableGrant, SessionObserver {
  readonly busy = false;
  readonly behind = 1;
  readonly fencingToken: bigint;
  readonly #watch = (event: WatchEvent) => this.#changed(event);
  /** Aborts when the grant is held no longer. */
  readonly #over = new LazyAbort();
  #state: GrantState = 'held';
  #stopObserving: () => void = () => {};
  #listener: GrantListener | undefined;
  #loss: LossReason | undefined;
  #leaving: Promise<unknown> | undefined;
  #failures = 0;
  #watchTimer: Timer | undefined;
  #isDeclined = false;
  #release: Release | undefined;

  /** @param isAdopted the node was there, of an earlier hold of the same owner */
  constructor(
    private readonly node: ClosedNode,
    private readonly isAdopted: boolean,
    private readonly context: RecipeContext,
  ) {
    const { path, token } = node.hold;
    this.fencingToken = token;
    debugStep('queue', isAdopted ? 'adopted' : 'granted', () => ({ path, token }));
    node.listen(() => {
      if (this.#state === 'held') this.#listener?.revokeRequested();
    });
    this.#follow(node.sessions.current!);
  }

  get deadline(): number {
    return this.#state === 'lost' ? -Infinity : Infinity;
  }

  /** It cannot be shared: its node names one owner. */
  localToken(n: number): bigint | undefined {
    return n === 0 ? this.fencingToken : undefined;
  }

  async othersBehind(): Promise<number> {
    return this.behind;
  }

  /** A release is complete only when this is: a contender of this process that the grant has made superfluous. */
  follows(leaving: Promise<unknown>): this {
    this.#leaving = leaving;
    return this;
  }

  get note(): Note {
    const { sessions, hold } = this.node;
    const session = sessions.current;
    if (session !== undefined) return new LockNote({ ...hold, session }, this.context, () => this.#missing());
    throw new LockUnavailableError(hold.resource, 'there is no session with ZooKeeper at the moment');
  }

  listen(listener: GrantListener): void {
    this.#listener = listener;
    if (this.#loss !== undefined) listener.lost(this.#loss);
  }

  release(): Release {
    this.#release ??= this.#startRelease();
    return this.#release;
  }

  /** If it was adopted, the lock stays closed: nobody has looked after what the last holder left behind. */
  decline(): Release {
    this.#isDeclined ||= this.isAdopted && this.#release === undefined;
    return this.release();
  }

  connected(): void {
    void this.#watchNode();
  }

  ended(end: SessionEnd): void {
    if (end === 'expired') void this.#move();
    else this.#lose(SESSION_LOSS[end]);
  }

  /** A session that has ended already tells nothing more. */
  #follow(session: ServerSession): void {
    if (session.state === 'ended') return void this.#move();
    this.#stopObserving = session.observe(this);
    this.#watchTimer?.cancel();
    this.#watchTimer = this.context.clock.setTimer(() => void this.#watchNode(), WATCH_AFTER_MS);
  }

  #startRelease(): Release {
    const kept = this.#state === 'held';
    if (kept) this.#end('released');
    const { hold, sessions } = this.node;
    const session = sessions.current;
    const release = new NodeRelease(session, (progress) => this.#free(kept, progress));
    const { persistentRemovals, closedReleases } = this.context;
    persistentRemovals.add(release.freed);
    if (hold.formerHead !== undefined && session !== undefined) {
      closedReleases.put(session, hold.lockPath, release);
      // One that has ended would only keep the code in memory that has called it (H64).
      void release.freed.then(() => closedReleases.drop(session, hold.lockPath, release));
    }
    return release;
  }

  async #free(kept: boolean, progress: DeletionProgress): Promise<boolean> {
    const removal = await (this.#isDeclined
      ? this.#leave()
      : removeClosed(this.node, this.context, progress));
    await this.#leaving;
    debugStep('queue', 'released', () => ({ path: this.node.hold.path, result: removal }));
    if (kept && removal === 'kept' && !this.#isDeclined) this.#warn();
    return kept && removal !== 'absent';
  }

  #leave(): Promise<ClosedRemoval> {
    const { sessions, hold } = this.node;
    // The node stays, and with it the watch (H15).
    sessions.current?.client.removeWatch(hold.path, 'data', this.#watch);
    return leaveClosed(this.node, this.context);
  }

  #warn(): void {
    const { resource, token } = this.node.hold;
    const name = escapeControls(resource);
    this.context.warn(
      `Lock '${name}' could not be released before the service closed, and stays locked because of \`failure: 'closed'\`: ` +
        `acquire it again with the same \`owner\`, or call forceRelease('${name}', { token: ${token}n })`,
    );
  }

  /** The watch reports within a round trip that a person or the same owner elsewhere has taken the lock away. */
  async #watchNode(): Promise<void> {
    this.#watchTimer?.cancel();
    const session = this.node.sessions.current;
    if (this.#state !== 'held' || session === undefined) return;
    try {
      const state = await this.node.look(session.client, this.#watch);
      this.#failures = 0;
      // The look has watched the node of another hold.
      if (state === 'taken') session.client.removeWatch(this.node.hold.path, 'data', this.#watch);
      if (state !== 'ours') this.#lose('deleted');
    } catch (error) {
      // After a lost connection, `connected` sets the watch again.
      if (!(error instanceof ZooKeeperError)) throw error;
      if (hasCode(error, 'CONNECTION_LOSS', 'SESSION_EXPIRED')) return;
      const failures = (this.#failures += 1);
      await pauseBeforeRetry(session, this.context, failures);
      // A later connection may have tried again already.
      if (this.node.sessions.current === session && this.#failures === failures) void this.#watchNode();
    }
  }

  #changed({ type }: WatchEvent): void {
    if (type === 'deleted') this.#lose('deleted');
    else if (type !== 'disconnected') void this.#watchNode();
  }

  /** The session has expired, and the lock has not. Between two sessions, only their pool knows that none will follow. */
  async #move(): Promise<void> {
    const { sessions, warn } = this.context;
    const what = `Lock '${escapeControls(this.node.hold.resource)}' is not shown as held in its next session`;
    const warning = new RefusalWarning(warn, what);
    while (this.#state === 'held' && sessions.end === undefined) {
      try {
        const isOurs = await this.node.moveToNextSession(this.#over);
        if (this.#state !== 'held') return;
        if (isOurs) return this.#follow(this.node.sessions.current!);
        this.#lose('deleted');
      } catch (error) {
        // Without a connection, or with a lost reply: again. The end of the session pool ends the loop.
        if (error instanceof ZooKeeperError) warning.failed(error);
        const session = this.node.sessions.current;
        if (this.#state === 'held' && session !== undefined)
          await pauseBeforeRetry(session, this.context, (this.#failures += 1));
      }
    }
    if (sessions.end !== undefined) this.#lose(SESSION_LOSS[sessions.end]);
  }

  #missing(): LossReason {
    this.#lose('deleted');
    return this.#loss ?? 'released';
  }

  #lose(reason: LossReason): void {
    if (this.#state !== 'held') return;
    this.#loss = reason;
    debugStep('queue', 'lost', () => ({ path: this.node.hold.path, reason }));
    this.#end('lost');
    if (reason === 'shutdown') this.#warn();
    this.#listener?.lost(reason);
  }

  #end(state: GrantState): void {
    this.#state = state;
    this.#stopObserving();
    this.#watchTimer?.cancel();
    this.#over.abort(new Error('The lock is held no longer'));
  }
}
