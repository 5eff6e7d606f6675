import type { Busy, QueuedPlace, ShareableGrant } from '../../locking/lock-provider.interface.js';
import { orAborted } from '../../locking/abortable.js';
import type { Admission } from '../session/pooled-session.js';
import { debugStep } from '../debug-log.js';
import { pauseBeforeRetry } from '../retry-pause.js';
import { adoptLock, type Adoption } from './adopt-lock.js';
import { ClosedGrant } from './closed-grant.js';
import { ClosingLock } from './closing-lock.js';
import { nextPlace, placeOfHead, type ClosingPlace } from './closing-place.js';
import { ContenderNode } from './contender-node.js';
import { ContenderQueue, likelyHead } from './contender-queue.js';
import { agreeOnPermits, PermitsChangedError } from './permits.js';
import { listContenders } from './list-contenders.js';
import { contenderPathBytes, holderPath } from './lock-path.js';
import { readOwner } from './owner-record.js';
import { QueuePosition, closedHead, type DecidedPlace, type WaitingPlace } from './queue-position.js';
import type { RecipeContext } from './recipe-context.js';
import type { RecipeRequest } from './recipe-request.js';
import { QueuePositionLostError } from './session-requests.js';
import { untilAlive } from './until-alive.js';
import { ContenderGrant, type HeadPlace } from './contender-grant.js';

/**
 * The lock recipe for one acquisition: joins the queue, and is granted the lock when no contender is ahead.
 *
 * @see https://zookeeper.apache.org/doc/current/recipes.html#sc_recipes_Locks
 */
export class LockRecipe {
  /** It has been the head of the queue, or has been told that it waits. */
  #hadPlace = false;
  /** How often in a row its owner's lock was found on its way from one session to the next. */
  #looks = 0;

  constructor(
    private readonly request: RecipeRequest,
    private readonly lockPath: string,
    private readonly context: RecipeContext,
  ) {}

  /** Queues again, with a new node, whenever the place is lost. The request's abort ends all this. */
  async enter(): Promise<ShareableGrant | Busy> {
    const bytes = contenderPathBytes(this.lockPath, this.request);
    for (;;) {
      const admission = await this.context.sessions.admit(bytes, this.request.abort);
      try {
        return await this.#contend(admission);
      } catch (error) {
        if (!(error instanceof PermitsChangedError || error instanceof QueuePositionLostError)) throw error;
      }
    }
  }

  async #contend(admission: Admission): Promise<ShareableGrant | Busy> {
    const node = new ContenderNode(admission, this.lockPath, this.request, this.context);
    const position = new QueuePosition(node, this.request, this.context);
    let holdsLock = false;
    try {
      await this.context.checkMarker(node.session, this.request.abort);
      const next = this.request.failure === 'closed' ? await this.#placeAfterRelease(node) : undefined;
      if (next !== undefined) return await this.#close(node, next);
      if (this.request.permits !== undefined) await this.#agreeOnPermits(node, this.request.permits);
      if (this.request.immediate) {
        const contenders = await listContenders(node, this.request);
        const adoption = await this.#adopt(node, this.#closedHead(contenders));
        if (adoption instanceof ClosedGrant) return adoption;
        if (contenders.length > 0) return await this.#busy(node, likelyHead(contenders));
      }
      const grant = await this.#advance(node, position);
      holdsLock = grant instanceof ContenderGrant;
      return grant;
    } finally {
      position.end(holdsLock);
      if (!holdsLock) void node.leave('queue');
    }
  }

  /** The lock is not free before the last release: the wait for its reply may save a place in the queue. */
  async #placeAfterRelease(node: ContenderNode): Promise<ClosingPlace | undefined> {
    const { abort, immediate } = this.request;
    const release = immediate ? undefined : this.context.closedReleases.get(node.session, this.lockPath);
    if (release !== undefined) await orAborted(abort, [release.confirmed]);
    return nextPlace(node, this.context);
  }

  /**
   * Left out if the lock path is known to have this number: joining shows whether it still has. An attempt that does not
   * wait would not join.
   */
  async #agreeOnPermits(node: ContenderNode, permits: number): Promise<void> {
    const seen = this.context.permits.get(node.session, this.lockPath);
    if (this.request.immediate || seen !== permits) await agreeOnPermits(node, permits, this.context.parents);
  }

  async #advance(node: ContenderNode, position: QueuePosition): Promise<ShareableGrant | Busy> {
    let announced = false;
    for (let place = await position.join(); ;) {
      if (place.kind === 'missing') throw new QueuePositionLostError();
      if (place.kind === 'head') {
        this.#hadPlace = true;
        // A session past its deadline may have expired on the server: wait for the next acknowledgement.
        if (node.session.alive) return this.#grant(node, place);
        await untilAlive(node.requests, this.request.abort);
        place = await position.list();
        continue;
      }
      const { closed } = position;
      const adoption = await this.#adopt(node, closed);
      if (adoption instanceof ClosedGrant) return adoption.follows(node.leave('queue'));
      if (this.request.immediate) return this.#busy(node, position.head);
      if (!announced) {
        // An admitted waiter that lost its place is admitted again.
        const waiters = place.ahead - place.holders;
        if (!this.#hadPlace && waiters >= this.request.maxWaiters)
          return { busy: true, holder: undefined, waiters };
        this.#queued(node, place);
      }
      announced = true;
      place = await this.#changed(node, position, place, adoption);
    }
  }

  /** The place after something has changed ahead of it. */
  #changed(
    node: ContenderNode,
    position: QueuePosition,
    place: WaitingPlace,
    adoption: Adoption,
  ): Promise<DecidedPlace> {
    if (adoption === 'moving') return this.#lookedAgain(node, position);
    this.#looks = 0;
    const { closed } = position;
    const isOurs = adoption === 'held' && closed !== undefined;
    return position.next(place, isOurs ? holderPath(closed) : undefined);
  }

  /**
   * No watch tells when the move ends, so it lists again after a pause. If the hold is given up meanwhile, the lock can
   * be adopted.
   */
  async #lookedAgain({ session }: ContenderNode, position: QueuePosition): Promise<DecidedPlace> {
    this.#looks += 1;
    await pauseBeforeRetry(session, this.context, this.#looks, this.request.abort);
    return position.list();
  }

  #grant(node: ContenderNode, place: HeadPlace): ShareableGrant | Promise<ShareableGrant> {
    if (this.request.failure === 'closed') return this.#close(node, placeOfHead(node, place));
    return new ContenderGrant(node, place, this.context);
  }

  #close(node: ContenderNode, place: ClosingPlace): Promise<ShareableGrant> {
    return new ClosingLock(node, place, this.request, this.context).grant();
  }

  /** With `failure: 'closed'`: the lock that its owner held when it failed, if there is one. */
  async #adopt(node: ContenderNode, closed: string | undefined): Promise<Adoption> {
    if (closed === undefined) return 'notOurs';
    const { lockPath, request } = this;
    const paths = { path: `${lockPath}/${closed}`, lockPath };
    const adoption = await adoptLock(request, paths, node.requests, this.context);
    // The attempt may have been made in another session.
    request.abort.follow(node.session);
    return adoption;
  }

  #closedHead(contenders: readonly string[]): string | undefined {
    return this.request.failure === 'closed'
      ? closedHead(contenders, new ContenderQueue(contenders))
      : undefined;
  }

  #queued(
    { path, session }: ContenderNode,
    { ahead, holders }: Pick<QueuedPlace, 'ahead' | 'holders'>,
  ): void {
    debugStep('queue', 'queued', () => ({ path, ahead }));
    const requeued = this.#hadPlace;
    this.#hadPlace = true;
    this.request.onQueued({ requeued, ahead, holders, inContact: () => session.inContact });
  }

  async #busy(node: ContenderNode, ahead: string | undefined): Promise<Busy> {
    const described = ahead !== undefined && this.request.describeHolder;
    return { busy: true, holder: described ? await this.#ownerOf(node, ahead) : undefined };
  }

  /** Best effort: only improves a message. */
  async #ownerOf(node: ContenderNode, name: string): Promise<string | undefined> {
    try {
      const { data } = await node.session.client.getData(`${node.lockPath}/${name}`, node.bounds);
      return readOwner(data)?.owner;
    } catch {
      return undefined;
    }
  }
}
