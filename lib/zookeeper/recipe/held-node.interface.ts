import type { ServerSession } from '../session/server-session.js';
import type { Stat } from '../protocol/stat.js';
import type { DeletionProgress, Removal } from './contender-cleanup.js';

/** The node of a granted lock. */
export interface HeldNode {
  readonly session: ServerSession;
  readonly resource: string;
  readonly path: string;
  readonly lockPath: string;
  readonly czxid: bigint;
  /** Its owner record, which the holder writes again when a request to release the lock has replaced it. */
  readonly record?: Buffer;
  /** How long after the grant its holder sets a watch on it, ms. */
  readonly watchAfterMs: number;
  /** Whether what was read from the path is this node. */
  isThis(stat: Stat): boolean;
  /** From now on, others may have deleted it unnoticed: the servers have refused the watch on it, for example. */
  interrupted(): void;
  /** It is known that others have deleted it. */
  vanished(): void;
  /**
   * Deletes it, in the same tick if there is a connection. Idempotent, never rejects.
   *
   * @param priority `grant` if others wait for the deletion
   */
  leave(priority: 'grant' | 'queue', progress?: DeletionProgress): Promise<Removal>;
}
