import { LockFairnessError } from '../../locking/errors/lock-fairness.error.js';
import type { EnterRequest, LockMode } from '../../locking/lock-provider.interface.js';
import { ZooKeeperError, hasCode } from '../client/zookeeper-error.js';
import type { Created, RequestBounds, Step } from '../client/zookeeper-client.interface.js';
import type { ServerSession } from '../session/server-session.js';
import type { Admission } from '../session/pooled-session.js';
import { debugStep } from '../debug-log.js';
import { formatSessionId } from '../format-session-id.js';
import { contenderPrefix, findContender, numberedName } from './contender-name.js';
import type { HeldNode } from './held-node.interface.js';
import { listAfterCommit } from './list-after-commit.js';
import { nameOf } from './lock-path.js';
import { permitsData } from './permits-data.js';
import { readQueue, type QueueList } from './queue-list.js';
import type { RecipeContext } from './recipe-context.js';
import { ABSENT, type DeletionProgress, type Removal } from './contender-cleanup.js';
import { QueuePositionLostError, SessionRequests } from './session-requests.js';
import { isFirst, isHeadAfter, mayBeFollowed } from './former-head.js';

/** Short holds rarely lose their node: the watch is worth a request only after this time. */
export const WATCH_AFTER_MS = 250;

/** The znode of an acquisition in the queue of a resource, in one session. Its uuid is never used in another session (H02). */
export class ContenderNode implements HeldNode {
  readonly watchAfterMs = WATCH_AFTER_MS;
  readonly session: ServerSession;
  readonly requests: SessionRequests;
  /** Bounds of all its requests. Its lane takes turns with the lanes of other lock paths. */
  readonly bounds: RequestBounds;
  /** Its name up to the sequence number, with a uuid. */
  readonly #prefix: string;
  #name: string | undefined;
  /** Joined once, because all requests of a grant need it. */
  #path = '';
  #czxid = 0n;
  /** `absent` → `requested` (a create was sent, its outcome is unknown) ⇄ `absent`; `requested` → `created`. */
  #state: 'absent' | 'requested' | 'created' = 'absent';
  #isPathNew = false;
  #mayHaveMadePath = false;
  /** Settles when no request of this node can make the lock path any more. */
  #making: Promise<unknown> | undefined;
  #leaving: Promise<Removal> | undefined;

  constructor(
    private readonly admission: Admission,
    readonly lockPath: string,
    private readonly request: EnterRequest,
    private readonly context: RecipeContext,
  ) {
    const { resource, mode, failure, abort } = request;
    this.session = admission.session;
    this.#prefix = contenderPrefix(context.random.uuid(), mode, failure);
    this.requests = new SessionRequests(this.session, context, resource, abort);
    this.bounds = { abort, lane: lockPath };
  }

  get resource(): string {
    return this.request.resource;
  }

  get mode(): LockMode {
    return this.request.mode;
  }

  get name(): string {
    return this.#name ?? '';
  }

  get path(): string {
    return this.#path;
  }

  get record(): Buffer {
    return Buffer.from(JSON.stringify(this.request.owner));
  }

  get czxid(): bigint {
    return this.#czxid;
  }

  /** What it would be called if it had this number. */
  nameWith(sequence: number): string {
    return numberedName(this.#prefix, sequence);
  }

  /** Joins the queue as a step of a transaction, for a node that does not outlast that: nobody reads its data. */
  get joining(): Step {
    const { acl } = this.context;
    return { op: 'create', path: `${this.lockPath}/${this.#prefix}`, mode: 'ephemeral-sequential', acl };
  }

  /** Joins the queue and lists it. Throws as `SessionRequests.recover` does. */
  async create(): Promise<QueueList> {
    const { session, lockPath } = this;
    const { parents } = this.context;
    // That of a semaphore has been read, or made, with the number of permits.
    let mayBeMissing = this.request.permits === undefined && !parents.knows(session, lockPath);
    for (;;) {
      // In the same write, so that a new lock path costs no round trip. One that exists stays as it is.
      const making = mayBeMissing ? this.#makePath() : undefined;
      const outcome = await this.#createAndList();
      if (!(outcome instanceof ZooKeeperError)) return outcome;
      if (hasCode(outcome, 'NO_NODE')) {
        parents.forget(session, lockPath);
        this.#isPathNew = mayBeMissing = true;
        // If the root is missing, too, that takes longer.
        await making?.catch((error: unknown) => this.requests.recover(error));
        continue;
      }
      if (hasCode(outcome, 'NO_CHILDREN_FOR_EPHEMERALS')) throw new LockFairnessError(this.resource, false);
      await this.requests.recover(outcome);
      const list = outcome.mayHaveBeenApplied ? await this.requests.persist(() => this.#adopt()) : undefined;
      if (list !== undefined) return list;
    }
  }

  /**
   * The current members of the queue. The request goes ahead of those of joining contenders, because this one may be next.
   * If the lock path is missing, so is this node (H23).
   */
  async list(): Promise<QueueList> {
    return this.requests.persist(async () => {
      try {
        return await this.#read({ ...this.bounds, priority: 'grant' });
      } catch (error) {
        throw hasCode(error, 'NO_NODE') ? new QueuePositionLostError() : error;
      }
    });
  }

  /** Names are unique. */
  isThis(): boolean {
    return true;
  }

  /** No other node ever has its name. */
  interrupted(): void {}

  /** It is deleted nevertheless: if it was there after all, it would block all others (H03). */
  vanished(): void {}

  /**
   * Leaves the queue, in any state; the clean-up deletes the node. Idempotent, never rejects.
   *
   * @param priority `grant` if others wait for the deletion
   */
  leave(priority: 'grant' | 'queue', progress?: DeletionProgress): Promise<Removal> {
    this.#leaving ??= this.#leave(priority, progress);
    return this.#leaving;
  }

  /** Another node has taken its place, with its room in the session: there is nothing left to leave. */
  replaced(): Admission {
    this.#leaving ??= Promise.resolve('absent');
    return this.admission;
  }

  async #leave(priority: 'grant' | 'queue', progress?: DeletionProgress): Promise<Removal> {
    const { parents, cleanup } = this.context;
    const { session, lockPath } = this;
    const path = this.#name === undefined ? undefined : this.path;
    const find = (bounds: RequestBounds) => this.#find(bounds);
    const left = { session, lockPath, path, isPathReused: false, priority, find };
    const mayBeUnused = this.#mayHaveMadePath && this.#state !== 'created';
    const removing = this.#state === 'absent' ? ABSENT : cleanup.remove(left, progress);
    if (mayBeUnused) await parents.abandon(session, lockPath, this.#afterMaking(removing));
    const removal = await removing;
    if (removal === 'deleted') parents.tidy(session, lockPath);
    this.admission.leave();
    return removal;
  }

  /**
   * Sends both requests in one write: the list contains the new node after only one round trip. It is left out where the
   * reply to the create is likely to prove as much. If the acquisition ends before the create is sent, it is never sent,
   * and there is no node to delete.
   */
  async #createAndList(): Promise<QueueList | ZooKeeperError> {
    const { client } = this.session;
    const former = this.context.formerHeads.take(this.session, this.lockPath);
    const isLikelyHead =
      this.mode !== 'semaphore' &&
      (this.#isPathNew || (former !== undefined && mayBeFollowed(former, client.lastZxid)));
    const creating = this.#create();
    const listing = isLikelyHead ? undefined : this.#read(this.bounds).catch(() => {});
    try {
      const created = await creating;
      this.#found(nameOf(created.path), created.czxid);
    } catch (error) {
      if (!(error instanceof ZooKeeperError)) throw error;
      if (!error.mayHaveBeenApplied) this.#state = 'absent';
      return error;
    }
    // After a refusal for its absence, the lock path is new.
    const isHead =
      isLikelyHead &&
      ((this.#isPathNew && isFirst(this.name)) || (former !== undefined && isHeadAfter(former, this)));
    if (isHead) return { children: [this.name] };
    const list = await listing;
    // A create that was refused together with others was executed later, after the list.
    return list?.children.includes(this.name) === true ? list : this.list();
  }

  #create(): Promise<Created> {
    return this.session.client.create(`${this.lockPath}/${this.#prefix}`, {
      mode: 'ephemeral-sequential',
      data: this.record,
      acl: this.context.acl,
      abort: this.request.abort,
      lane: this.lockPath,
      // The path of a semaphore is not made in the same write. One that is missing would have the others sent again.
      grouped: this.request.permits === undefined || this.context.parents.knows(this.session, this.lockPath),
      sent: () => {
        this.#state = 'requested';
      },
    });
  }

  /**
   * Looks for the node after the reply to its create was lost: after a committed write, because a lagging follower may not
   * show it yet. Adopts it only if it belongs to this session (H01, H02). Undefined if it was not created.
   */
  async #adopt(): Promise<QueueList | undefined> {
    const { client } = this.session;
    await client.commit(this.bounds);
    const list = await this.#listIfPresent();
    const { children } = list;
    const name = findContender(children, this.#prefix);
    const stat = name === undefined ? null : await client.exists(`${this.lockPath}/${name}`, this.bounds);
    if (name === undefined || stat === null) {
      this.#state = 'absent';
      return undefined;
    }
    if (stat.ephemeralOwner !== this.session.id) throw new QueuePositionLostError();
    this.#found(name, stat.czxid);
    return list;
  }

  /** Finds it by its prefix, after the reply to its create was lost. */
  async #find(bounds: RequestBounds): Promise<string | undefined> {
    const { lockPath, session } = this;
    const name = findContender(await listAfterCommit(session.client, lockPath, bounds), this.#prefix);
    return name === undefined ? undefined : `${lockPath}/${name}`;
  }

  async #listIfPresent(): Promise<QueueList> {
    try {
      return await this.#read(this.bounds);
    } catch (error) {
      if (hasCode(error, 'NO_NODE')) return { children: [] };
      throw error;
    }
  }

  #read(bounds: RequestBounds): Promise<QueueList> {
    return readQueue(this, bounds, this.context);
  }

  #makePath(): Promise<void> {
    const { permits } = this.request;
    const data = permits === undefined ? undefined : permitsData(permits);
    // Even if the acquisition ends before the reply, it may be made.
    const bounds = { ...this.bounds, sent: () => void (this.#mayHaveMadePath = true) };
    const { parents } = this.context;
    const making = parents.make(this.session.client, this.lockPath, bounds, data);
    // Those who join from now on need not make it, too.
    parents.remember(this.session, this.lockPath);
    // A failure matters only if this node cannot be created either: an existing path can be used without the right to make one.
    this.#making = Promise.allSettled([this.#making, making]);
    return making;
  }

  async #afterMaking(removing: Promise<Removal>): Promise<Removal> {
    await this.#making;
    return removing;
  }

  #found(name: string, czxid: bigint): void {
    this.#state = 'created';
    this.#name = name;
    this.#path = `${this.lockPath}/${name}`;
    this.#czxid = czxid;
    this.context.parents.remember(this.session, this.lockPath);
    debugStep('queue', 'created', () => ({ path: this.path, session: formatSessionId(this.session.id) }));
  }
}
