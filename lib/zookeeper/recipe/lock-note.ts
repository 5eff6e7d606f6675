import { LockLostError, type LossReason } from '../../locking/errors/lock-lost.error.js';
import { LockUnavailableError } from '../../locking/errors/lock-unavailable.error.js';
import type { Note } from '../../locking/lock-provider.interface.js';
import type { RequestBounds, Step } from '../client/zookeeper-client.interface.js';
import { ZooKeeperError, hasCode } from '../client/zookeeper-error.js';
import { mayBeRepeated, pauseBeforeRetry } from '../retry-pause.js';
import { afterCommit } from './after-commit.js';
import type { HeldNode } from './held-node.interface.js';
import { ifThere } from './if-there.js';
import { notePath, parentOf } from './lock-path.js';
import type { RecipeContext } from './recipe-context.js';

/**
 * The note of a resource, in a node of its own that outlives the lock path. A holder that reads it sees what every earlier
 * holder has written, because it reads after a committed write: another server than the one that has shown that they have left the
 * queue may lag behind.
 */
export class LockNote implements Note {
  readonly #path: string;
  readonly #bounds: RequestBounds;

  /** @param missing called when the node turns out to be gone; tells why the lock is lost */
  constructor(
    private readonly node: Pick<HeldNode, 'resource' | 'lockPath' | 'path' | 'session'>,
    private readonly context: RecipeContext,
    private readonly missing: () => LossReason,
  ) {
    this.#path = notePath(node.lockPath);
    this.#bounds = { priority: 'grant', lane: node.lockPath };
  }

  read(): Promise<string | undefined> {
    return this.#persist(async () => {
      const { client } = this.node.session;
      const read = await afterCommit(
        client,
        () => ifThere(client.getData(this.#path, this.#bounds)),
        this.#bounds,
      );
      return read?.data.toString('utf8');
    });
  }

  /** Repeated after a lost reply: to write the same text twice does no harm while the contender is there. */
  write(text: string): Promise<void> {
    return this.#persist(() => this.#write(Buffer.from(text)));
  }

  async #write(data: Buffer): Promise<void> {
    const { session, path, resource } = this.node;
    const change: Step = { op: 'setData', path: this.#path, data };
    const create: Step = {
      op: 'create',
      path: this.#path,
      mode: 'persistent',
      data,
      acl: this.context.acl,
    };
    let step: Step = change;
    for (;;) {
      try {
        // The check fences the write: a session that has ended has no contender, and its late requests change nothing.
        await session.client.transact([{ op: 'check', path }, step], this.#bounds);
        return;
      } catch (error) {
        if (hasCode(error, 'NO_NODE') && error.step === 0)
          throw new LockLostError(resource, this.missing(), { cause: error });
        if (hasCode(error, 'NODE_EXISTS')) step = change;
        else if (!hasCode(error, 'NO_NODE')) throw error;
        else if (step === change) step = create;
        else await this.context.parents.make(session.client, parentOf(this.#path)!, this.#bounds);
      }
    }
  }

  /** Repeats a request for as long as the session lasts. Longer than `connectTimeout`, because the lock is held that long. */
  async #persist<T>(request: () => Promise<T>): Promise<T> {
    const { session, resource } = this.node;
    for (let failures = 1; ; failures += 1) {
      try {
        return await request();
      } catch (error) {
        if (!(error instanceof ZooKeeperError)) throw error;
        const isOver = session.state === 'ended';
        if (!isOver && !mayBeRepeated(error)) {
          throw new LockUnavailableError(resource, `its note failed with ${error.message}`, { cause: error });
        }
        if (!isOver && !hasCode(error, 'CONNECTION_LOSS'))
          await pauseBeforeRetry(session, this.context, failures);
        if (isOver || !(await session.reachable()))
          throw new LockLostError(resource, 'session', { cause: error });
      }
    }
  }
}
