import { orAborted } from '../../locking/abortable.js';
import type { Abort } from '../../locking/abort.js';
import { escapeControls } from '../../locking/escape-controls.js';
import { describeValue } from '../../locking/describe-value.js';
import { LockConfigurationError } from '../../locking/errors/lock-configuration.error.js';
import type { ZooKeeperClient } from '../client/zookeeper-client.interface.js';
import { ZooKeeperError, hasCode } from '../client/zookeeper-error.js';
import type { ServerSession } from '../session/server-session.js';
import type { RecipeContext } from './recipe-context.js';
import { SessionRequests } from './session-requests.js';

/** The node may have been made by the same start, through another entry of the list. */
const SERVERS_OF_ONE =
  '. If the list names the servers of one ensemble, write them into one connect string, separated by commas, and delete this node';

/** Which ensemble this is, from 0, of how many that share the resources of a service. */
export interface EnsemblePlace {
  readonly ensemble: number;
  readonly of: number;
}

/**
 * The node below `root` that says which ensemble of a list this is. Replicas with different lists look for a lock on
 * different ensembles, and so exclude nobody: they must find out before their first grant. A service with a single ensemble
 * makes no such node, and must find none. The name begins with a dot, as no lock path does.
 */
export class EnsembleMarker {
  readonly #path: string;
  readonly #checked = new WeakSet<ServerSession>();
  readonly #checks = new WeakMap<ServerSession, Promise<void>>();

  /** @param place undefined for a service with a single ensemble */
  constructor(
    private readonly root: string,
    private readonly place: EnsemblePlace | undefined,
    private readonly context: Omit<RecipeContext, 'checkMarker'>,
  ) {
    this.#path = `${root}/.ensemble`;
  }

  /**
   * Must resolve before the first grant in a session: servers that have lost their data have lost the marker too, and have
   * ended the sessions.
   *
   * @throws LockConfigurationError if replicas with another list use these locks
   * @throws LockUnavailableError if the marker cannot be read or made
   * @throws QueuePositionLostError if the session has ended
   */
  async check(session: ServerSession, abort: Abort): Promise<void> {
    if (this.#checked.has(session)) return;
    let check = this.#checks.get(session);
    if (check === undefined) {
      check = this.#check(session).finally(() => this.#checks.delete(session));
      this.#checks.set(session, check);
    }
    await orAborted(abort, [check]);
  }

  /** As `check`, but leaves nothing behind: a start that fails elsewhere must not decide for other replicas. */
  async compare(session: ServerSession, abort: Abort): Promise<void> {
    const requests = new SessionRequests(session, this.context, undefined, abort);
    const [found] = await orAborted(abort, [requests.persist(() => this.#read(session.client))]);
    this.#assertOurs(found);
  }

  async #check(session: ServerSession): Promise<void> {
    const requests = new SessionRequests(session, this.context, undefined, undefined);
    /** Also if the reply to that is lost. */
    let mayHaveCreated = false;
    const find = async (): Promise<string | undefined> => {
      for (;;) {
        const found = await this.#read(session.client);
        if (found !== undefined || this.place === undefined) return found;
        try {
          mayHaveCreated = (await this.#create(session.client, this.place)) || mayHaveCreated;
        } catch (error) {
          mayHaveCreated ||= error instanceof ZooKeeperError && error.mayHaveBeenApplied;
          throw error;
        }
      }
    };
    this.#assertOurs(await requests.persist(find));
    const { place } = this;
    if (mayHaveCreated && place !== undefined)
      await requests.persist(() => this.#warnOfEarlierLocks(session.client, place));
    this.#checked.add(session);
  }

  async #read(client: ZooKeeperClient): Promise<string | undefined> {
    // Usually there is none.
    if (this.place === undefined && (await client.exists(this.#path)) === null) return undefined;
    try {
      return (await client.getData(this.#path)).data.toString('utf8');
    } catch (error) {
      if (hasCode(error, 'NO_NODE')) return undefined;
      throw error;
    }
  }

  /** Creates it, if it is missing. False if there was another one, or nothing to create it in. */
  async #create(client: ZooKeeperClient, place: EnsemblePlace): Promise<boolean> {
    const { parents, acl } = this.context;
    try {
      await client.create(this.#path, { mode: 'persistent', acl, data: Buffer.from(JSON.stringify(place)) });
      return true;
    } catch (error) {
      if (hasCode(error, 'NO_NODE')) await parents.makeParent(client, this.root, {});
      else if (!hasCode(error, 'NODE_EXISTS')) throw error;
      return false;
    }
  }

  /** They may be of running replicas with a single ensemble, which look for a marker again only in their next session. */
  async #warnOfEarlierLocks(client: ZooKeeperClient, { of }: EnsemblePlace): Promise<void> {
    const paths = await this.#lockPaths(client);
    if (paths.length === 0) return;
    const more = paths.length === 1 ? '' : ` and ${paths.length - 1} more`;
    this.context.warn(
      `Locks below '${this.root}' are now spread over ${of} ensembles, but there were lock paths before: ` +
        `${escapeControls(paths[0]!)}${more}. Stop replicas that still have another \`connectString\`: they do not exclude this one`,
    );
  }

  /** Empty if they cannot be listed: only a warning needs them. */
  async #lockPaths(client: ZooKeeperClient): Promise<string[]> {
    try {
      return (await client.getChildren(this.root)).filter((name) => !name.startsWith('.'));
    } catch (error) {
      if (hasCode(error, 'NO_AUTH', 'REPLY_TOO_LARGE')) return [];
      throw error;
    }
  }

  #assertOurs(found: string | undefined): void {
    if (found !== undefined && !this.#isOurs(found)) throw this.#contradiction(found);
  }

  #isOurs(found: string): boolean {
    const place = parsePlace(found);
    return place !== undefined && place.ensemble === this.place?.ensemble && place.of === this.place.of;
  }

  #contradiction(found: string): LockConfigurationError {
    const place = parsePlace(found);
    const isSameList = place !== undefined && place.of === this.place?.of;
    return new LockConfigurationError(
      `The node '${this.#path}' says that this is ${place ? nameOf(place) : describeValue(found)}, but by \`connectString\` ` +
        `of this service it is ${this.place ? nameOf(this.place) : 'the only ensemble'}. Replicas with different lists do not ` +
        'exclude each other: give all of them the same connect strings in the same order. To change the list, stop all ' +
        'replicas and delete this node on each ensemble before you start the new ones' +
        (isSameList ? SERVERS_OF_ONE : ''),
    );
  }
}

function nameOf({ ensemble, of }: EnsemblePlace): string {
  return `connectString[${ensemble}] of ${of}`;
}

/** Readers ignore fields that they do not know. Undefined for other content. */
function parsePlace(data: string): EnsemblePlace | undefined {
  try {
    const { ensemble, of } = Object(JSON.parse(data)) as Record<keyof EnsemblePlace, unknown>;
    return typeof ensemble === 'number' && typeof of === 'number' ? { ensemble, of } : undefined;
  } catch {
    return undefined;
  }
}
