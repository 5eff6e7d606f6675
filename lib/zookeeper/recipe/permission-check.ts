import { randomUUID } from 'node:crypto';
import { LockUnavailableError } from '../../locking/errors/lock-unavailable.error.js';
import type { Step } from '../client/zookeeper-client.interface.js';
import { ZooKeeperError, hasCode } from '../client/zookeeper-error.js';
import type { ServerSession } from '../session/server-session.js';
import { contenderPrefix, parentOf } from './lock-path.js';
import type { RecipeContext } from './recipe-context.js';
import { SessionRequests } from './session-requests.js';

/**
 * Makes a lock path with a contender below `root` and removes both again, in one transaction: what the session has no right
 * to, it should be told when it starts, and not at the first lock. No other session ever sees these nodes. Nor would
 * anybody take them for a lock: no lock path has a name that begins with a dot.
 */
export class PermissionCheck {
  /** Parents of the lock path that do not exist yet, from the top. */
  #missing: readonly string[] = [];
  readonly #lockPath: string;
  readonly #requests: SessionRequests;

  constructor(
    private readonly session: ServerSession,
    root: string,
    private readonly context: RecipeContext,
    private readonly signal: AbortSignal,
  ) {
    this.#lockPath = `${root}/.permission-check-${randomUUID()}`;
    this.#requests = new SessionRequests(session, context, undefined, signal);
  }

  /**
   * @throws LockUnavailableError saying which right is missing where
   * @throws LockConfigurationError if the chroot does not exist
   * @throws QueuePositionLostError if the session has ended
   */
  run(): Promise<void> {
    return this.#requests.persist(async () => {
      for (;;) {
        const steps = this.#steps();
        const refused = await this.#refused(steps);
        if (refused === undefined || (await this.#judge(steps, refused))) return;
      }
    });
  }

  #steps(): readonly Step[] {
    const { acl } = this.context;
    const contender = `${this.#lockPath}/${contenderPrefix(randomUUID())}0`;
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

  async #refused(steps: readonly Step[]): Promise<ZooKeeperError | undefined> {
    try {
      await this.session.client.transact(steps, { signal: this.signal });
      return undefined;
    } catch (error) {
      if (error instanceof ZooKeeperError && error.step !== undefined) return error;
      // Of a server whose jute.maxbuffer is smaller than this transaction, which says nothing of rights.
      if (hasCode(error, 'REQUEST_TOO_LARGE')) return undefined;
      throw error;
    }
  }

  /** True if locks can be made in spite of the refusal, false if it has to be tried once more. */
  async #judge(steps: readonly Step[], error: ZooKeeperError): Promise<boolean> {
    const { op, path } = steps[error.step!]!;
    if (hasCode(error, 'NO_NODE') && op === 'create') return this.#climb(path);
    if (hasCode(error, 'NODE_EXISTS') && op === 'create') {
      // Somebody else has made it in the meantime.
      this.#missing = [];
      return false;
    }
    // Lock paths that are empty are removed by the server too, whose reaper needs no rights.
    if (hasCode(error, 'NO_AUTH') && op === 'delete' && !path.startsWith(`${this.#lockPath}/`)) return true;
    if (!hasCode(error, 'NO_AUTH', 'INVALID_ACL')) throw error;
    throw this.#lacking(op, path, error);
  }

  /** The parent of `path` is missing: a lock would make it too. */
  async #climb(path: string): Promise<false> {
    const parent = parentOf(path);
    if (parent !== undefined && !this.context.chroot.is(parent)) this.#missing = [parent, ...this.#missing];
    else await this.context.chroot.make(this.session.client, { signal: this.signal });
    return false;
  }

  #lacking(op: Step['op'], path: string, cause: ZooKeeperError): LockUnavailableError {
    if (hasCode(cause, 'INVALID_ACL')) {
      return new LockUnavailableError(
        undefined,
        `ZooKeeper refuses the access rules of \`acl\` (${cause.code})`,
        {
          cause,
          hint: "Give rules whose scheme the servers know; 'creator' needs credentials in `auth` that they accept",
        },
      );
    }
    // Who may create and delete is a matter of the parent.
    const node = op === 'check' ? path : (parentOf(path) ?? '/');
    const isOurs = node.startsWith(this.#lockPath) || this.#missing.includes(node);
    const where = isOurs ? 'lock paths that it has made itself' : `'${node}'`;
    const right = op === 'check' ? `read ${where}` : `${op} nodes below ${where}`;
    return new LockUnavailableError(undefined, `the session has no right to ${right} (${cause.code})`, {
      cause,
      hint: isOurs
        ? 'Give its own credentials the rights to read, create and delete in the option `acl`'
        : `Give its credentials that right with setAcl, connect with others (\`auth\`), or lock elsewhere (\`root\`)`,
    });
  }
}
