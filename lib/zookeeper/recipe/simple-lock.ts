import { LockFairnessError } from '../../locking/errors/lock-fairness.error.js';
import type { Busy } from '../../locking/lock-provider.interface.js';
import { debugStep } from '../debug-log.js';
import type { Admission } from '../session/pooled-session.js';
import { hasContenders } from './has-contenders.js';
import { HolderWatch } from './holder-watch.js';
import { simplePathBytes } from './lock-path.js';
import type { RecipeContext } from './recipe-context.js';
import type { RecipeRequest } from './recipe-request.js';
import { QueuePositionLostError } from './session-requests.js';
import { SimpleNode } from './simple-node.js';
import { untilAlive } from './until-alive.js';
import { ZooKeeperGrant } from './zookeeper-grant.js';

/**
 * The lock without a queue, for one acquisition: it has the lock when it has created the node. Otherwise it watches the node of
 * the holder. When that is gone, all who wait try again, and one of them succeeds.
 *
 * The node stands in the place of the lock path, so locks with and without a queue exclude each other: the server
 * refuses a contender below an ephemeral node, and an ephemeral node where a lock path is.
 */
export class SimpleLock {
  /** It has had the node, or has been told that it waits. */
  #hadPlace = false;

  constructor(
    private readonly request: RecipeRequest,
    private readonly lockPath: string,
    private readonly context: RecipeContext,
  ) {}

  /** Waits again, in a new session, whenever its session ends. The request's abort ends all this. */
  async enter(): Promise<ZooKeeperGrant | Busy> {
    const bytes = simplePathBytes(this.lockPath);
    for (;;) {
      const admission = await this.context.sessions.admit(bytes, this.request.abort);
      try {
        return await this.#contend(admission);
      } catch (error) {
        if (!(error instanceof QueuePositionLostError)) throw error;
      }
    }
  }

  async #contend(admission: Admission): Promise<ZooKeeperGrant | Busy> {
    const { request, context } = this;
    const node = new SimpleNode(admission, this.lockPath, request, context);
    const watch = new HolderWatch(node, request, context.clock);
    let granted = false;
    try {
      await context.checkMarker(node.session, request.abort);
      const busy = await this.#created(node, watch);
      if (busy !== undefined) return busy;
      this.#hadPlace = true;
      // A session past its deadline may have expired on the server: wait for the next acknowledgement.
      while (!node.session.alive) {
        await untilAlive(node.requests, request.abort);
        await node.assertPresent();
      }
      const grant = new ZooKeeperGrant(node, context);
      granted = true;
      return grant;
    } finally {
      watch.end();
      if (!granted) void node.leave('queue');
    }
  }

  /** Resolves when the node is created; with `Busy` if it is not, for an attempt that does not wait. */
  async #created(node: SimpleNode, watch: HolderWatch): Promise<Busy | undefined> {
    const { immediate, describeHolder, onPredecessor } = this.request;
    let announced = false;
    while (!(await node.create())) {
      for (;;) {
        const occupant = await watch.read();
        if (occupant === undefined) break;
        if (!occupant.isHolder) {
          await this.#removeQueue(node);
          break;
        }
        if (immediate) return { busy: true, holder: describeHolder ? occupant.owner : undefined };
        if (!announced) this.#waits(node);
        announced = true;
        if (occupant.owner !== undefined) onPredecessor({ owner: occupant.owner });
        if (await watch.left()) break;
      }
    }
    return undefined;
  }

  /** Others that wait are not known. */
  #waits({ path, session }: SimpleNode): void {
    debugStep('queue', 'queued', () => ({ path, ahead: 1 }));
    const requeued = this.#hadPlace;
    this.#hadPlace = true;
    this.request.onQueued({ requeued, ahead: 1, holders: 1, inContact: () => session.inContact });
  }

  /** The lock path of a queue stays for a while when nobody uses it any more. */
  async #removeQueue({ session, requests, path, bounds }: SimpleNode): Promise<void> {
    const { parents } = this.context;
    const { client } = session;
    await requests.persist(async () => {
      if ((await parents.removeUnused(client, path, bounds)) !== 'used') return;
      if (await hasContenders(client, path, bounds)) throw new LockFairnessError(this.request.resource, true);
    });
  }
}
