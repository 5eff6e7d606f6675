import type { Abort } from '../../locking/abort.js';
import type { OwnerRecord } from '../../locking/lock-provider.interface.js';
import type { Step, WatchListener, ZooKeeperClient } from '../client/zookeeper-client.interface.js';
import { ifThere } from './if-there.js';
import { hasCode } from '../client/zookeeper-error.js';
import type { Admission } from '../session/pooled-session.js';
import type { Stat } from '../protocol/stat.js';
import { closedData, readClosed } from './closed-record.js';
import type { FormerHead } from './former-head.js';
import { holderPath } from './lock-path.js';
import type { RecipeContext } from './recipe-context.js';
import { isRevokeRequest } from './revoke-request.js';
import { SuccessiveSessions } from './successive-sessions.js';

/** One hold of a closed lock, as its node shows it. */
export interface ClosedHold {
  readonly resource: string;
  readonly lockPath: string;
  readonly path: string;
  readonly owner: OwnerRecord;
  readonly token: bigint;
  /** The uuid in the data of the node. */
  readonly id: string;
  /** Of the data. Every hold has another one, so that no late request of an earlier one can hit it. */
  readonly version: number;
  /** As in its record. */
  readonly after?: bigint | undefined;
  /** What the next contender of this process can follow when the lock is free. */
  readonly formerHead?: FormerHead | undefined;
  /** The bytes that it takes in a session. */
  readonly bytes: number;
}

/** `taken`: another hold has it. */
export type ClosedNodeState = 'ours' | 'taken' | 'gone';

/**
 * The persistent node of a closed lock, in the place of the contender that was granted it. It outlives sessions, so its
 * requests go to whichever session there is. An ephemeral child shows that the holder is there; it has to come back when
 * the session is another one.
 */
export class ClosedNode {
  readonly sessions: SuccessiveSessions;
  /** Of the data, as far as known. */
  #version: number;
  #revokeRequested: () => void = () => {};
  /** The version of the data with the last request to release the lock. */
  #requestVersion: number | undefined;

  constructor(
    readonly hold: ClosedHold,
    admission: Admission,
    private readonly context: RecipeContext,
  ) {
    this.#version = hold.version;
    this.sessions = new SuccessiveSessions(hold.resource, hold.bytes, admission, context);
  }

  /** Removes it, whatever else has happened to the lock path; refused if the child `holder` is there. */
  get deletion(): Step {
    return { op: 'delete', path: this.hold.path, version: this.#version };
  }

  /** Refuses what is meant for this hold when the node is of a later one. */
  get check(): Step {
    return { op: 'check', path: this.hold.path, version: this.#version };
  }

  get holderDeletion(): Step {
    return { op: 'delete', path: holderPath(this.hold.path) };
  }

  /** @param revokeRequested called once for each request to release the lock that a look finds */
  listen(revokeRequested: () => void): void {
    this.#revokeRequested = revokeRequested;
  }

  /**
   * Reads it. Somebody may have overwritten the data, as Curator's Revoker does: then it is still ours, and its record comes
   * back, because the next hold of the owner, and a person, need it. Rejects with a `ZooKeeperError`.
   */
  async look(client: ZooKeeperClient, watch?: WatchListener): Promise<ClosedNodeState> {
    const { path, id } = this.hold;
    const read = await ifThere(client.getData(path, watch === undefined ? {} : { watch }));
    if (read === undefined) return 'gone';
    const record = readClosed(read.data);
    const isOurs =
      record === undefined ? await this.#isOverwritten(client, read.stat.version) : record.hold === id;
    if (!isOurs) return 'taken';
    this.#version = read.stat.version;
    const isRequested = isRevokeRequest(read.data);
    // First, because the record may come back although the reply to that is lost.
    if (isRequested) this.#reportRequest();
    if (record === undefined || isRequested) await this.#restore(client);
    return 'ours';
  }

  /**
   * After the end of a session: shows in another one that the holder is there.
   *
   * @returns false if the node is not that of this hold any more
   * @throws LockUnavailableError if there is no connection for `connectTimeout`, or for good
   */
  async moveToNextSession(abort: Abort): Promise<boolean> {
    const { client } = await this.sessions.next(abort);
    const { holderDeletion } = this;
    // Soon, because the owner could take the lock over elsewhere. Never behind the release: nobody would remove the child.
    const bounds = { abort, priority: 'grant', lane: this.hold.lockPath } as const;
    const creation = { ...holderDeletion, op: 'create', mode: 'ephemeral', acl: this.context.acl } as const;
    for (let isThere = false; ;) {
      try {
        // A child that is there already is that of our last session, or of a request whose reply was lost.
        const replacement = isThere ? [holderDeletion, creation] : [creation];
        await client.transact([this.check, ...replacement], bounds);
        return true;
      } catch (error) {
        if (hasCode(error, 'NODE_EXISTS')) isThere = true;
        else if (hasCode(error, 'NO_NODE') && error.path === creation.path) isThere = false;
        else if (!hasCode(error, 'NO_NODE', 'BAD_VERSION')) throw error;
        else if ((await this.look(client)) !== 'ours') return false;
      }
    }
  }

  /** The hold is over, whatever has become of the node. */
  left(): void {
    this.sessions.leave();
    this.context.closedHolds.delete(this.hold.id);
  }

  /**
   * Whether data without a record have overwritten ours. One write cannot be both: to take the lock over, and to overwrite that.
   * After more of them, only the child `holder` of our session proves that nobody has taken it over, because it refuses that.
   */
  async #isOverwritten(client: ZooKeeperClient, version: number): Promise<boolean> {
    if (version <= this.#version + 1) return true;
    const session = this.sessions.current;
    const holder = await client.exists(holderPath(this.hold.path));
    return session !== undefined && holder?.ephemeralOwner === session.id;
  }

  /** It may be read again before the record is back. */
  #reportRequest(): void {
    if (this.#requestVersion === this.#version) return;
    this.#requestVersion = this.#version;
    this.#revokeRequested();
  }

  async #restore(client: ZooKeeperClient): Promise<void> {
    const { path, owner, token, id, after } = this.hold;
    try {
      const data = closedData({ owner, token, hold: id, after });
      const { version }: Stat = await client.setData(path, data, this.#version);
      this.#version = version;
    } catch (error) {
      // Whoever changed it meanwhile is seen by the next look, which a watch brings about.
      if (!hasCode(error, 'BAD_VERSION', 'NO_NODE')) throw error;
    }
  }
}
