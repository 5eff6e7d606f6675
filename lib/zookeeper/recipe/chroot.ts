import { LockConfigurationError } from '../../locking/errors/lock-configuration.error.js';
import type { Acl } from '../protocol/acl.js';
import type { RequestBounds, ZooKeeperClient } from '../client/zookeeper-client.interface.js';
import { hasCode } from '../client/zookeeper-error.js';
import { parentOf } from './lock-path.js';

export interface ChrootOptions {
  /** `''` for none. */
  readonly path: string;
  /** Create it if it does not exist. */
  readonly create: boolean;
  readonly acl: readonly Acl[];
}

/**
 * The prefix of all paths that belongs to the application. A missing chroot is usually misspelt, so it is not created
 * by default.
 */
export class Chroot {
  constructor(private readonly options: ChrootOptions) {}

  /** True if `path` is the chroot, or `/` without one. */
  is(path: string | undefined): boolean {
    return path === (this.options.path || undefined);
  }

  /**
   * Called when the chroot does not exist: creates it as a persistent node if `create` is set.
   *
   * @throws LockConfigurationError if `create` is not set
   */
  async make(client: ZooKeeperClient, bounds: RequestBounds): Promise<void> {
    const { path, create } = this.options;
    if (create) return this.#make(client, path, bounds);
    throw new LockConfigurationError(
      `The chroot '${path}' of \`connectString\` does not exist on the servers. If the spelling is correct, create it, for ` +
        `example with ${commandsFor(path)} or with the option \`createChroot: true\``,
    );
  }

  async #make(client: ZooKeeperClient, path: string, bounds: RequestBounds): Promise<void> {
    try {
      await client.create(path, { ...bounds, mode: 'persistent', acl: this.options.acl });
    } catch (error) {
      if (hasCode(error, 'NODE_EXISTS')) return;
      const parent = parentOf(path);
      if (parent === undefined || !hasCode(error, 'NO_NODE')) throw error;
      await this.#make(client, parent, bounds);
      await this.#make(client, path, bounds);
    }
  }
}

/** The shell creates no parents. */
function commandsFor(path: string): string {
  const names = path.split('/').slice(1);
  const commands = names.map((_name, level) => `"zkCli.sh create /${names.slice(0, level + 1).join('/')}"`);
  return commands.join(' and then ');
}
