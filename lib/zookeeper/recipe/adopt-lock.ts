import type { EnterRequest } from '../../locking/lock-provider.interface.js';
import { ZooKeeperError, hasCode } from '../client/zookeeper-error.js';
import type { Admission } from '../session/pooled-session.js';
import { pauseBeforeRetry } from '../retry-pause.js';
import { ClosedGrant } from './closed-grant.js';
import { ClosedNode } from './closed-node.js';
import { closedData, readClosed, wasGranted } from './closed-record.js';
import { tokenOfTakeover } from './fencing-token.js';
import { contenderPathBytes, holderPath, nameOf } from './lock-path.js';
import type { RecipeContext } from './recipe-context.js';
import { SessionRequests } from './session-requests.js';

/**
 * `held`: by a holder whose session has not ended; `moving`: held by this process, in no session at the moment; `notOurs`:
 * of another owner, or gone.
 */
export type Adoption = ClosedGrant | 'held' | 'moving' | 'notOurs';

/** The paths of the node of a closed lock, and of the lock. */
interface ClosedPaths {
  readonly path: string;
  readonly lockPath: string;
}

/**
 * Takes over a closed lock whose holder has failed, if it is of the same owner. The hold goes on with a larger token, and with
 * another version of the data, so that late requests of the last holder fail.
 *
 * Throws as `SessionRequests.recover` does.
 */
export async function adoptLock(
  request: EnterRequest,
  paths: ClosedPaths,
  context: RecipeContext,
): Promise<Adoption> {
  const { resource, abort } = request;
  const bytes = contenderPathBytes(paths.lockPath, request);
  const admission = await context.sessions.admit(bytes, resource, abort);
  return new LockAdoption(request, paths, admission, context).run();
}

/** One attempt to take over a closed lock, in one session. */
class LockAdoption {
  readonly #id: string;
  /** Its transaction was sent, and may have been executed. */
  #mayBeOurs = false;

  constructor(
    private readonly request: EnterRequest,
    private readonly paths: ClosedPaths,
    private readonly admission: Admission,
    private readonly context: RecipeContext,
  ) {
    this.#id = context.random.uuid();
  }

  async run(): Promise<Adoption> {
    const { resource, abort } = this.request;
    this.context.closedHolds.add(this.#id);
    let adoption: Adoption = 'notOurs';
    try {
      const { session, begun } = this.admission;
      const requests = new SessionRequests(session, this.context, resource, abort, begun);
      adoption = await requests.persist(() => this.#adopt());
      return adoption;
    } finally {
      if (!(adoption instanceof ClosedGrant)) {
        if (this.#mayBeOurs) void this.#withdraw();
        else this.#forget();
      }
    }
  }

  async #adopt(): Promise<Adoption> {
    const { client } = this.admission.session;
    const { path, lockPath } = this.paths;
    const bounds = { abort: this.request.abort, lane: lockPath };
    // A lagging follower may show an earlier hold. Whoever waits watches what it shows, so that it hears when that is over.
    for (let isCertain = this.request.immediate || this.#mayBeOurs; ; isCertain = true) {
      try {
        const [, { data, stat }, holder] = await Promise.all([
          isCertain ? client.commit(bounds) : undefined,
          client.getData(path, bounds),
          client.exists(holderPath(path), bounds),
        ]);
        const record = readClosed(data);
        // All holds of a node have the same owner.
        if (record !== undefined && record.owner.owner !== this.request.owner.owner) return 'notOurs';
        // The reply to an earlier attempt was lost.
        if (record?.hold === this.#id) return this.#granted(record.token, stat.version);
        // Also if somebody has overwritten the record: the holder writes it again (H37), and may turn out to be ours.
        if (holder !== null) return 'held';
        if (!isCertain) continue;
        if (record === undefined) return 'notOurs';
        // It is getting a new session, or is just being given up.
        if (this.context.closedHolds.has(record.hold)) return 'moving';
        if (!wasGranted(record, nameOf(path), stat.czxid)) {
          await client.transact([{ op: 'delete', path, version: stat.version }], bounds);
          return 'notOurs';
        }
        const token = tokenOfTakeover(record.token, this.request.resource);
        await this.#take(token, stat.version);
        return this.#granted(token, stat.version + 1);
      } catch (error) {
        if (hasCode(error, 'NODE_EXISTS', 'NOT_EMPTY')) return 'held';
        if (hasCode(error, 'NO_NODE')) return 'notOurs';
        if (!hasCode(error, 'BAD_VERSION')) throw error;
      }
    }
  }

  /** Only its own refusal tells that the lock is not ours: a look that fails tells nothing. */
  async #take(token: bigint, version: number): Promise<void> {
    const { owner, abort } = this.request;
    const { path, lockPath } = this.paths;
    try {
      await this.admission.session.client.transact(
        [
          { op: 'setData', path, data: closedData({ owner, token, hold: this.#id }), version },
          { op: 'create', path: holderPath(path), mode: 'ephemeral', acl: this.context.acl },
        ],
        { abort, lane: lockPath, sent: () => (this.#mayBeOurs = true) },
      );
    } catch (error) {
      if (error instanceof ZooKeeperError && !error.mayHaveBeenApplied) this.#mayBeOurs = false;
      throw error;
    }
  }

  /** After an attempt whose outcome is unknown. The child `holder` may also be that of another call of this session. */
  async #withdraw(): Promise<void> {
    const { session } = this.admission;
    for (let failures = 1; await session.reachable(); failures += 1) {
      try {
        // A request whose reply was lost is executed by then, or never.
        await session.client.commit();
        const { data, stat } = await session.client.getData(this.paths.path);
        const record = readClosed(data);
        if (record?.hold === this.#id) return void this.#granted(record.token, stat.version).decline();
        break;
      } catch (error) {
        if (hasCode(error, 'NO_NODE')) break;
        // It may still be ours, and then it would be held for as long as this session lasts.
        if (session.isConnected) await pauseBeforeRetry(session, this.context, failures);
      }
    }
    this.#forget();
  }

  #forget(): void {
    this.context.closedHolds.delete(this.#id);
    this.admission.leave();
  }

  #granted(token: bigint, version: number): ClosedGrant {
    const { resource, owner } = this.request;
    const bytes = contenderPathBytes(this.paths.lockPath, this.request);
    const hold = { ...this.paths, resource, owner, token, id: this.#id, version, bytes };
    return new ClosedGrant(new ClosedNode(hold, this.admission, this.context), true, this.context);
  }
}
