import type { RequestBounds } from '../client/zookeeper-client.interface.js';
import { ZooKeeperError, hasCode } from '../client/zookeeper-error.js';
import type { Admission } from '../session/pooled-session.js';
import { pauseBeforeRetry } from '../retry-pause.js';
import { ClosedGrant } from './closed-grant.js';
import { ClosedNode } from './closed-node.js';
import { closedData, readClosed, wasGranted } from './closed-record.js';
import { failedHold, type ClosedPaths, type NotAdopted } from './failed-hold.js';
import { tokenOfTakeover } from './fencing-token.js';
import { contenderPathBytes, holderPath, nameOf } from './lock-path.js';
import type { RecipeContext } from './recipe-context.js';
import type { RecipeRequest } from './recipe-request.js';
import { SessionRequests } from './session-requests.js';

export type Adoption = ClosedGrant | NotAdopted;

/**
 * Takes over a closed lock whose holder has failed, if it is of the same owner. The hold goes on with a larger token, and with
 * another version of the data, so that late requests of the last holder fail.
 *
 * Throws as `SessionRequests.recover` does.
 *
 * @param requests of the session of the caller, which may be the head of the queue: for a mere look it waits for no other one
 */
export async function adoptLock(
  request: RecipeRequest,
  paths: ClosedPaths,
  requests: SessionRequests,
  context: RecipeContext,
): Promise<Adoption> {
  const { client } = requests.session;
  const seen = await requests.persist(() => failedHold(client, paths, request, context));
  if (typeof seen === 'string') return seen;
  const bytes = contenderPathBytes(paths.lockPath, request);
  const admission = await context.sessions.admit(bytes, request.abort);
  return new LockAdoption(request, paths, admission, context).run();
}

/** One attempt to take over a closed lock, in one session. */
class LockAdoption {
  readonly #id: string;
  /** Its transaction was sent, and may have been executed. */
  #mayBeOurs = false;

  constructor(
    private readonly request: RecipeRequest,
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
      const { session } = this.admission;
      const requests = new SessionRequests(session, this.context, resource, abort);
      await this.context.checkMarker(session, abort);
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
    const { request, paths, context } = this;
    const { client } = this.admission.session;
    for (;;) {
      try {
        const seen = await failedHold(client, paths, request, context, this.#id);
        if (typeof seen === 'string') return seen;
        const { record, stat } = seen;
        // The reply to an earlier attempt was lost.
        if (record.hold === this.#id) return this.#granted(record.token, stat.version);
        if (!wasGranted(record, nameOf(paths.path), stat.czxid)) {
          await client.transact([{ op: 'delete', path: paths.path, version: stat.version }], this.#bounds);
          return 'notOurs';
        }
        const token = tokenOfTakeover(record.token, request.resource);
        await this.#take(token, stat.version);
        return this.#granted(token, stat.version + 1);
      } catch (error) {
        if (hasCode(error, 'NODE_EXISTS')) return 'held';
        // It has a child, which need not be that of a holder: only a later look tells.
        if (hasCode(error, 'NOT_EMPTY')) return 'moving';
        if (hasCode(error, 'NO_NODE')) return 'notOurs';
        if (!hasCode(error, 'BAD_VERSION')) throw error;
      }
    }
  }

  /** Only its own refusal tells that the lock is not ours: a look that fails tells nothing. */
  async #take(token: bigint, version: number): Promise<void> {
    const { owner } = this.request;
    const { path } = this.paths;
    try {
      await this.admission.session.client.transact(
        [
          { op: 'setData', path, data: closedData({ owner, token, hold: this.#id }), version },
          { op: 'create', path: holderPath(path), mode: 'ephemeral', acl: this.context.acl },
        ],
        { ...this.#bounds, sent: () => (this.#mayBeOurs = true) },
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

  get #bounds(): RequestBounds {
    return { abort: this.request.abort, lane: this.paths.lockPath };
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
