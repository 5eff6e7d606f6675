import type { EnterRequest } from '../../locking/lock-provider.interface.js';
import { ZooKeeperError, hasCode } from '../client/zookeeper-error.js';
import { ClosedGrant } from './closed-grant.js';
import { ClosedNode } from './closed-node.js';
import { closedData, readClosed } from './closed-record.js';
import { nextToken } from './fencing-token.js';
import { contenderPathBytes, holderPath } from './lock-path.js';
import type { RecipeContext } from './recipe-context.js';
import { SessionRequests } from './session-requests.js';

/**
 * `held`: by a holder whose session has not ended; `moving`: held by this process, in no session at the moment; `notOurs`:
 * of another owner, or gone.
 */
export type Adoption = ClosedGrant | 'held' | 'moving' | 'notOurs';

/**
 * Takes over a closed lock whose holder has failed, if it is of the same owner. The hold goes on with a larger token, and with
 * another version of the data, so that late requests of the last holder fail.
 *
 * Throws as `SessionRequests.recover` does.
 */
export async function adoptLock(
  request: EnterRequest,
  { path, lockPath }: { readonly path: string; readonly lockPath: string },
  context: RecipeContext,
): Promise<Adoption> {
  const { resource, abort, owner } = request;
  const bytes = contenderPathBytes(lockPath, request);
  const admission = await context.sessions.admit(bytes, resource, abort);
  const id = context.random.uuid();
  const { session } = admission;
  const { client } = session;
  context.closedHolds.add(id);
  let mayBeOurs = false;
  let adoption: Adoption = 'notOurs';
  try {
    adoption = await new SessionRequests(session, context, resource, abort).persist(tryOnce);
    return adoption;
  } finally {
    if (!(adoption instanceof ClosedGrant)) {
      if (mayBeOurs) void withdraw();
      else forget();
    }
  }

  async function tryOnce(): Promise<Adoption> {
    const bounds = { abort, lane: lockPath };
    for (;;) {
      try {
        // A lagging follower may show an earlier hold.
        const [, { data, stat }, holder] = await Promise.all([
          client.commit(bounds),
          client.getData(path, bounds),
          client.exists(holderPath(path), bounds),
        ]);
        const record = readClosed(data);
        // Somebody has overwritten the record: a holder that is there writes it again (H37), and may turn out to be ours.
        if (record === undefined) return holder === null ? 'notOurs' : 'held';
        if (record.owner.owner !== owner.owner) return 'notOurs';
        // The reply to an earlier attempt was lost.
        if (record.hold === id) return granted(record.token, stat.version);
        if (holder !== null) return 'held';
        // It is getting a new session, or is just being given up.
        if (context.closedHolds.has(record.hold)) return 'moving';
        const token = nextToken(record.token, resource);
        await take(token, stat.version);
        return granted(token, stat.version + 1);
      } catch (error) {
        if (hasCode(error, 'NODE_EXISTS')) return 'held';
        if (hasCode(error, 'NO_NODE')) return 'notOurs';
        if (!hasCode(error, 'BAD_VERSION')) throw error;
      }
    }
  }

  /** Only its own refusal tells that the lock is not ours: a look that fails tells nothing. */
  async function take(token: bigint, version: number): Promise<void> {
    try {
      await client.transact(
        [
          { op: 'setData', path, data: closedData({ owner, token, hold: id }), version },
          { op: 'create', path: holderPath(path), mode: 'ephemeral', acl: context.acl },
        ],
        { abort, lane: lockPath, sent: () => (mayBeOurs = true) },
      );
    } catch (error) {
      if (error instanceof ZooKeeperError && !error.mayHaveBeenApplied) mayBeOurs = false;
      throw error;
    }
  }

  /** After an attempt whose outcome is unknown. The child `holder` may also be that of another call of this session. */
  async function withdraw(): Promise<void> {
    while (await session.reachable()) {
      try {
        // A request whose reply was lost is executed by then, or never.
        await client.commit();
        const { data, stat } = await client.getData(path);
        const record = readClosed(data);
        if (record?.hold === id) return void granted(record.token, stat.version).decline();
        break;
      } catch (error) {
        if (!hasCode(error, 'CONNECTION_LOSS')) break;
      }
    }
    forget();
  }

  function forget(): void {
    context.closedHolds.delete(id);
    admission.leave();
  }

  function granted(token: bigint, version: number): ClosedGrant {
    const node = new ClosedNode(
      { resource, lockPath, path, owner, token, id, version, bytes },
      admission,
      context,
    );
    return new ClosedGrant(node, true, context);
  }
}
