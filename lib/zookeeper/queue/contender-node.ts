import { randomUUID } from 'node:crypto';
import type { EnterRequest } from '../../locking/lock-provider.interface.js';
import { ZooKeeperError, hasCode } from '../driver/zookeeper-error.js';
import type { ServerSession } from '../session/server-session.js';
import type { LeftContender } from './reaper.js';
import { contenderPrefix, findContender, lockPath, nameOf } from './lock-path.js';
import type { QueueContext } from './queue-context.js';
import { PlaceLost, SessionRequests } from './session-requests.js';

/** Our znode in the queue of a resource, in one session. Its uuid is never used in another one (H02). */
export class ContenderNode {
  readonly lockPath: string;
  readonly requests: SessionRequests;
  readonly #uuid = randomUUID();
  #name: string | undefined;
  #czxid = 0n;
  /** `none` → `asked` (a create has left, its outcome is not known) ⇄ `none`; `asked` → `there`. */
  #state: 'none' | 'asked' | 'there' = 'none';
  #madeParents = false;

  constructor(
    readonly session: ServerSession,
    private readonly request: EnterRequest,
    private readonly context: QueueContext,
  ) {
    this.lockPath = lockPath(context.root, request.resource);
    this.requests = new SessionRequests(session, context, request.resource, request.signal);
  }

  get resource(): string {
    return this.request.resource;
  }

  get name(): string {
    return this.#name ?? '';
  }

  get path(): string {
    return `${this.lockPath}/${this.name}`;
  }

  get czxid(): bigint {
    return this.#czxid;
  }

  /** For the reaper. */
  get left(): LeftContender {
    return { session: this.session, lockPath: this.lockPath, uuid: this.#uuid, name: this.#name };
  }

  /** Joins the queue and returns its members. Throws as `SessionRequests.recover` does. */
  async create(): Promise<readonly string[]> {
    for (;;) {
      const outcome = await this.#createAndList();
      if (!(outcome instanceof ZooKeeperError)) return outcome;
      if (hasCode(outcome, 'NO_NODE')) {
        await this.#makeParents();
        continue;
      }
      await this.requests.recover(outcome);
      const children = outcome.mayHaveBeenApplied
        ? await this.requests.persist(() => this.#adopt())
        : undefined;
      if (children !== undefined) return children;
    }
  }

  /** The members of the queue now. Without its path, our node has gone with it (H23). */
  async list(): Promise<readonly string[]> {
    const { driver } = this.session;
    return this.requests.persist(async () => {
      try {
        return await driver.getChildren(this.lockPath, { signal: this.request.signal });
      } catch (error) {
        throw hasCode(error, 'NO_NODE') ? new PlaceLost() : error;
      }
    });
  }

  /** Leaves the queue, whatever is known of the node; the reaper sees to it. */
  async leave(): Promise<void> {
    const { parents, reaper } = this.context;
    const reaped = this.#state === 'none' ? 'absent' : await reaper.reap(this.left);
    // The server's own reaper never removes a container that had no child.
    if (reaped === 'absent' && this.#madeParents) parents.remove(this.session.driver, this.lockPath);
  }

  /** Both requests leave in one write: the list shows the new node, for the price of one round trip. */
  async #createAndList(): Promise<readonly string[] | ZooKeeperError> {
    const { driver } = this.session;
    const { signal, owner } = this.request;
    this.#state = 'asked';
    const [created, children] = await Promise.allSettled([
      driver.create(`${this.lockPath}/${contenderPrefix(this.#uuid)}`, {
        mode: 'ephemeral-sequential',
        data: Buffer.from(JSON.stringify(owner)),
        acl: this.context.acl,
        signal,
      }),
      driver.getChildren(this.lockPath, { signal }),
    ]);
    if (created.status === 'fulfilled') {
      this.#found(nameOf(created.value.path), created.value.stat.czxid);
      return children.status === 'fulfilled' ? children.value : this.list();
    }
    const error: unknown = created.reason;
    if (!(error instanceof ZooKeeperError)) throw error;
    if (!error.mayHaveBeenApplied) this.#state = 'none';
    return error;
  }

  /**
   * After a create whose reply was lost: looks for the node behind a committed write, because a lagging follower may not
   * show it yet, and takes it only if it belongs to this very session (H01, H02). Undefined if it was not created.
   */
  async #adopt(): Promise<readonly string[] | undefined> {
    const { driver } = this.session;
    const { signal } = this.request;
    await driver.commit({ signal });
    const children = await this.#childrenOrNone();
    const name = findContender(children, this.#uuid);
    const stat = name === undefined ? null : await driver.exists(`${this.lockPath}/${name}`, { signal });
    if (name === undefined || stat === null) {
      this.#state = 'none';
      return undefined;
    }
    if (stat.ephemeralOwner !== this.session.id) throw new PlaceLost();
    this.#found(name, stat.czxid);
    return children;
  }

  async #childrenOrNone(): Promise<readonly string[]> {
    try {
      return await this.session.driver.getChildren(this.lockPath, { signal: this.request.signal });
    } catch (error) {
      if (hasCode(error, 'NO_NODE')) return [];
      throw error;
    }
  }

  async #makeParents(): Promise<void> {
    const { signal } = this.request;
    await this.requests.persist(() =>
      this.context.parents.make(this.session.driver, this.lockPath, { signal }),
    );
    this.#madeParents = true;
  }

  #found(name: string, czxid: bigint): void {
    this.#state = 'there';
    this.#name = name;
    this.#czxid = czxid;
  }
}
