import type { EnterRequest } from '../../locking/lock-provider.interface.js';
import { debugStep } from '../debug-log.js';
import { formatSessionId } from '../format-session-id.js';
import type { RequestBounds } from '../client/zookeeper-client.interface.js';
import { ZooKeeperError, hasCode } from '../client/zookeeper-error.js';
import type { Stat } from '../protocol/stat.js';
import type { Admission } from '../session/pooled-session.js';
import type { ServerSession } from '../session/server-session.js';
import { ABSENT, type DeletionProgress, type Removal } from './contender-cleanup.js';
import type { HeldNode } from './held-node.interface.js';
import { parentOf } from './lock-path.js';
import type { RecipeContext } from './recipe-context.js';
import { QueuePositionLostError, SessionRequests } from './session-requests.js';
import { isOfAttempt, simpleData } from './simple-data.js';

/**
 * The node of a simple lock, for one attempt in one session: an ephemeral znode in the place of the lock path. Who creates it
 * has the lock.
 *
 * All holders have the same path, so a delete that comes too late would free the lock of another one, and ZooKeeper has no
 * delete on the condition that a node is still the same: versions begin at 0 again with each node. So this much is known
 * whenever a delete is sent: its session has created the node, and it is sent in that session, in which the servers execute
 * nothing after they have removed the node with it. In a living session, only this delete or an operator can have removed
 * the node. A granted lock is watched, so an operator's delete is known, and nothing is deleted any more. Where it might not be
 * known, the node is read first, after a committed write, and its czxid tells whether it is still this one: when the reply
 * to a delete was lost, when the connection was lost or the watch refused since the grant, and when the lock was never granted. What remains is
 * an operator's delete whose notification is still on its way when the lock is released. The watch is set at once for that,
 * and not only for long holds as that of a contender.
 */
export class SimpleNode implements HeldNode {
  readonly watchAfterMs = 0;
  readonly session: ServerSession;
  readonly requests: SessionRequests;
  /** Bounds of all its requests. */
  readonly bounds: RequestBounds;
  /** Recognizes the node after the reply to its create was lost. Never used in another session (H02). */
  readonly #attempt: string;
  #czxid: bigint | undefined;
  /** `absent` ⇄ `requested` (a create was sent, its outcome is unknown) → `created` → `absent`. */
  #state: 'absent' | 'requested' | 'created' = 'absent';
  #wasBusy = false;
  /**
   * False after a lost connection, a silence that was too long, or a refused watch: what has happened to the node meanwhile is
   * unknown.
   */
  #isUninterrupted = true;
  #stopObserving: () => void = () => {};
  #mayHaveMadeRoot = false;
  #leaving: Promise<Removal> | undefined;

  constructor(
    private readonly admission: Admission,
    /** The lock path. */
    readonly path: string,
    private readonly request: EnterRequest,
    private readonly context: RecipeContext,
  ) {
    const { resource, abort } = request;
    this.session = admission.session;
    this.#attempt = context.random.uuid();
    this.requests = new SessionRequests(this.session, context, resource, abort);
    this.bounds = { abort, lane: path };
  }

  get resource(): string {
    return this.request.resource;
  }

  get lockPath(): string {
    return this.path;
  }

  get czxid(): bigint {
    return this.#czxid ?? 0n;
  }

  /** False if there is a node at the lock path. Throws as `SessionRequests.recover` does. */
  async create(): Promise<boolean> {
    for (;;) {
      const outcome = await this.#create();
      if (!(outcome instanceof ZooKeeperError)) return true;
      if (hasCode(outcome, 'NODE_EXISTS')) {
        this.#wasBusy = true;
        return false;
      }
      if (hasCode(outcome, 'NO_NODE')) {
        await this.#makeRoot();
        continue;
      }
      await this.requests.recover(outcome);
      if (outcome.mayHaveBeenApplied && (await this.requests.persist(() => this.#adopt()))) return true;
    }
  }

  /**
   * Makes sure that it is still there. Throws as `SessionRequests.recover` does.
   *
   * @throws QueuePositionLostError if it is not
   */
  async assertPresent(): Promise<void> {
    if ((await this.requests.persist(() => this.#find(this.bounds))) !== undefined) return;
    this.vanished();
    throw new QueuePositionLostError();
  }

  isThis({ czxid }: Stat): boolean {
    return czxid === this.#czxid;
  }

  interrupted(): void {
    this.#isUninterrupted = false;
  }

  vanished(): void {
    this.#state = 'absent';
  }

  leave(priority: 'grant' | 'queue', progress?: DeletionProgress): Promise<Removal> {
    this.#leaving ??= this.#leave(priority, progress);
    return this.#leaving;
  }

  async #leave(priority: 'grant' | 'queue', progress?: DeletionProgress): Promise<Removal> {
    const { parents, cleanup } = this.context;
    const { session, path: lockPath } = this;
    this.#stopObserving();
    const path = priority === 'grant' && this.#isUninterrupted ? lockPath : undefined;
    const find = async (bounds: RequestBounds) =>
      (await this.#find(bounds)) === undefined ? undefined : lockPath;
    const left = { session, lockPath, path, isPathReused: true, priority, find };
    const mayBeUnused = this.#mayHaveMadeRoot && this.#state !== 'created';
    const removing = this.#state === 'absent' ? ABSENT : cleanup.remove(left, progress);
    if (mayBeUnused) await parents.abandon(session, parentOf(lockPath)!, removing);
    const removal = await removing;
    this.admission.leave();
    return removal;
  }

  async #create(): Promise<ZooKeeperError | undefined> {
    try {
      const { czxid } = await this.session.client.create(this.path, {
        mode: 'ephemeral',
        data: simpleData(this.request.owner, this.#attempt),
        acl: this.context.acl,
        ...this.bounds,
        // One that is likely to be refused would have the others of its transaction sent again.
        grouped: !this.#wasBusy,
        sent: () => {
          this.#state = 'requested';
        },
      });
      this.#found(czxid);
      return undefined;
    } catch (error) {
      if (!(error instanceof ZooKeeperError)) throw error;
      if (!error.mayHaveBeenApplied) this.#state = 'absent';
      return error;
    }
  }

  /** Looks for the node after the reply to its create was lost (H01). False if it was not created. */
  async #adopt(): Promise<boolean> {
    const stat = await this.#find(this.bounds);
    if (stat === undefined) {
      this.#state = 'absent';
      return false;
    }
    if (stat.ephemeralOwner !== this.session.id) throw new QueuePositionLostError();
    this.#found(stat.czxid);
    return true;
  }

  /** Reads it after a committed write, because a lagging follower may show another one; undefined if it does not exist. */
  async #find(bounds: RequestBounds): Promise<Stat | undefined> {
    const { client } = this.session;
    await client.commit(bounds);
    try {
      const { data, stat } = await client.getData(this.path, bounds);
      const isThis =
        this.#czxid === undefined ? isOfAttempt(data, this.#attempt) : stat.czxid === this.#czxid;
      return isThis ? stat : undefined;
    } catch (error) {
      if (hasCode(error, 'NO_NODE')) return undefined;
      throw error;
    }
  }

  async #makeRoot(): Promise<void> {
    // Even if the acquisition ends before the reply, it may be made.
    this.#mayHaveMadeRoot = true;
    const { parents } = this.context;
    await this.requests.persist(() =>
      parents.makeParent(this.session.client, parentOf(this.path)!, this.bounds),
    );
  }

  #found(czxid: bigint): void {
    this.#state = 'created';
    this.#czxid = czxid;
    const interrupted = (): void => this.interrupted();
    // A process that was stopped for so long may not have read what the servers have told it.
    this.#stopObserving = this.session.observe({ disconnected: interrupted, deadlinePassed: interrupted });
    debugStep('queue', 'created', () => ({ path: this.path, session: formatSessionId(this.session.id) }));
  }
}
