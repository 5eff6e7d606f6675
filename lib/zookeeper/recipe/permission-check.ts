import type { Abort } from '../../locking/abort.js';
import { LockUnavailableError } from '../../locking/errors/lock-unavailable.error.js';
import type { Step } from '../client/zookeeper-client.interface.js';
import { ZooKeeperError, hasCode } from '../client/zookeeper-error.js';
import type { ServerSession } from '../session/server-session.js';
import { contenderPrefix } from './contender-name.js';
import { parentOf } from './lock-path.js';
import type { RecipeContext } from './recipe-context.js';
import { MAKE_GLOBAL_SESSIONS, SessionRequests } from './session-requests.js';

/**
 * Creates and removes a lock path with a contender below `root`, in one transaction, so that missing permissions are found
 * at the start and not at the first lock. Other sessions never see these nodes. The name begins with a dot, as no lock
 * path does.
 */
export class PermissionCheck {
  /** Missing parents of the lock path, outermost first. */
  #missing: readonly string[] = [];
  readonly #lockPath: string;
  readonly #requests: SessionRequests;

  constructor(
    private readonly session: ServerSession,
    root: string,
    private readonly context: RecipeContext,
    private readonly abort: Abort,
  ) {
    this.#lockPath = `${root}/.permission-check-${context.random.uuid()}`;
    this.#requests = new SessionRequests(session, context, undefined, abort);
  }

  /**
   * @throws LockUnavailableError naming the missing permission and its node, or if sessions cannot have ephemeral nodes
   * @throws LockConfigurationError if the chroot does not exist
   * @throws QueuePositionLostError if the session has ended
   */
  run(): Promise<void> {
    return this.#requests.persist(async () => {
      for (;;) {
        const steps = this.#steps();
        const error = await this.#transact(steps);
        if (error === undefined || (await this.#isAcceptable(steps, error))) return;
      }
    });
  }

  #steps(): readonly Step[] {
    const { acl, random } = this.context;
    const contender = `${this.#lockPath}/${contenderPrefix(random.uuid(), 'exclusive')}0`;
    const directories = [...this.#missing, this.#lockPath];
    return [
      ...directories.map((path) => ({ op: 'create', path, mode: 'persistent', acl }) as const),
      { op: 'create', path: contender, mode: 'ephemeral', acl },
      { op: 'check', path: this.#lockPath },
      { op: 'check', path: contender },
      { op: 'delete', path: contender },
      ...directories.toReversed().map((path) => ({ op: 'delete', path }) as const),
    ];
  }

  /** Returns the error of the refused step, if there is one. */
  async #transact(steps: readonly Step[]): Promise<ZooKeeperError | undefined> {
    try {
      await this.session.client.transact(steps, { abort: this.abort });
      return undefined;
    } catch (error) {
      if (error instanceof ZooKeeperError && error.step !== undefined) return error;
      // The server's jute.maxbuffer is smaller than this transaction, which has nothing to do with permissions.
      if (hasCode(error, 'REQUEST_TOO_LARGE')) return undefined;
      throw error;
    }
  }

  /** True if locks are possible despite the error, false if the transaction must be repeated. */
  async #isAcceptable(steps: readonly Step[], error: ZooKeeperError): Promise<boolean> {
    const { op, path } = steps[error.step!]!;
    if (isOfLocalSession(error)) throw localSessionRefused(error);
    if (hasCode(error, 'NO_NODE') && op === 'create') return this.#addParent(path);
    if (hasCode(error, 'NODE_EXISTS') && op === 'create') {
      // Another client has created it in the meantime.
      this.#missing = [];
      return false;
    }
    // The server removes empty lock paths too, and needs no permission.
    if (hasCode(error, 'NO_AUTH') && op === 'delete' && !path.startsWith(`${this.#lockPath}/`)) return true;
    if (!hasCode(error, 'NO_AUTH', 'INVALID_ACL')) throw error;
    throw this.#missingPermission(op, path, error);
  }

  /** The parent of `path` is missing: an acquisition would create it. */
  async #addParent(path: string): Promise<false> {
    const parent = parentOf(path);
    if (parent !== undefined && !this.context.chroot.is(parent)) this.#missing = [parent, ...this.#missing];
    else await this.context.chroot.make(this.session.client, { abort: this.abort });
    return false;
  }

  #missingPermission(op: Step['op'], path: string, cause: ZooKeeperError): LockUnavailableError {
    if (hasCode(cause, 'INVALID_ACL')) {
      return new LockUnavailableError(
        undefined,
        `ZooKeeper refuses the access rules of \`acl\` (${cause.code})`,
        {
          cause,
          hint: "Use rules whose scheme the servers support; 'creator' requires valid credentials in `auth`",
        },
      );
    }
    // The ACL of the parent governs create and delete.
    const node = op === 'check' ? path : (parentOf(path) ?? '/');
    const isOurs = node.startsWith(this.#lockPath) || this.#missing.includes(node);
    const where = isOurs ? 'lock paths that it has created itself' : `'${node}'`;
    const permission = op === 'check' ? `read ${where}` : `${op} nodes below ${where}`;
    return new LockUnavailableError(
      undefined,
      `the session has no permission to ${permission} (${cause.code})`,
      {
        cause,
        hint: isOurs
          ? 'Grant its own credentials read, create and delete permissions in the option `acl`'
          : `Grant its credentials that permission with setAcl, or change \`auth\` or \`root\``,
      },
    );
  }
}

/**
 * With `localSessionsEnabled`, a session is known to its server only, and may not have ephemeral nodes; with
 * `localSessionsUpgradingEnabled` the server makes it an ordinary one at the first of them. A leader names the error. A
 * follower passes the request on to a leader that has never heard of the session, but executes the steps before (H39). A
 * session that expires between two steps looks the same.
 */
function isOfLocalSession(error: ZooKeeperError): boolean {
  return (
    hasCode(error, 'EPHEMERAL_ON_LOCAL_SESSION') || (hasCode(error, 'SESSION_EXPIRED') && error.step! > 0)
  );
}

function localSessionRefused(cause: ZooKeeperError): LockUnavailableError {
  return new LockUnavailableError(
    undefined,
    `the servers make local sessions, which cannot have ephemeral nodes (${cause.code})`,
    {
      cause,
      hint: MAKE_GLOBAL_SESSIONS,
    },
  );
}
