import type { Applied } from '../../../lib/testing/server/quorum.interface.js';
import type { ZooKeeperService } from '../../../lib/testing/server/zookeeper-service.js';
import { OP } from '../../../lib/zookeeper/protocol/op-codes.js';
import { readClosed, type ClosedRecord } from '../../../lib/zookeeper/recipe/closed-record.js';
import { isClosed } from '../../../lib/zookeeper/recipe/contender-name.js';
import { holderPath, nameOf } from '../../../lib/zookeeper/recipe/lock-path.js';
import { contendersOf, dataOf, pathOf, type DirectAccess } from './direct-access.js';

/** A closed lock that shows no holder, and what it says of the last one. */
export interface AbandonedLock extends ClosedRecord {
  readonly path: string;
}

/** A contender that is being deleted. */
export interface Deletion {
  readonly data: string;
  readonly czxid: bigint;
  /** It is the node of a lock without a queue. */
  readonly isSimple: boolean;
  /** Undefined while nobody has heard of it. A leader that stops may leave it to the next one. */
  readonly outcome: 'done' | 'refused' | undefined;
}

/** Somebody who deletes nodes without this library. */
export class Operator {
  constructor(private readonly access: DirectAccess) {}

  /**
   * Deletes the first contender of a resource, with the sign of its holder if it is a closed lock; undefined if there is
   * none, or no leader.
   */
  deleteContender(resource: string): Deletion | undefined {
    const service = this.access.leaderWith(pathOf(resource));
    // The node of a lock without a queue has the path of the one before, which may just be on its way out.
    const decided = this.access.decidedWith(pathOf(resource));
    const [first] = contendersOf(resource, decided);
    if (service === undefined || decided === undefined || first === undefined) return undefined;
    const isSimple = first === pathOf(resource);
    const { tree } = decided.store;
    const deletion: { -readonly [Name in keyof Deletion]: Deletion[Name] } = {
      data: dataOf(first, decided),
      czxid: tree.get(first)?.czxid ?? 0n,
      isSimple,
      outcome: undefined,
    };
    // ZooKeeper does not delete a node that has a child.
    const holder = holderPath(first);
    const paths = tree.get(holder) === undefined ? [first] : [holder, first];
    this.#delete(paths, service, ({ outcomes }) => {
      deletion.outcome =
        outcomes.length > 0 && outcomes.every(({ op }) => op !== OP.ERROR) ? 'done' : 'refused';
    });
    return deletion;
  }

  /** What the contenders of a resource have written about themselves, in their order. */
  contenderRecords(resource: string): string[] {
    const service = this.access.leaderWith(pathOf(resource));
    return contendersOf(resource, service).map((path) => dataOf(path, service));
  }

  /** The closed lock of a resource whose holder's session has ended, if there is one. */
  abandonedLock(resource: string): AbandonedLock | undefined {
    const service = this.access.leaderWith(pathOf(resource));
    for (const path of contendersOf(resource, service)) {
      if (service === undefined || !isClosed(nameOf(path))) continue;
      if (service.store.tree.get(holderPath(path)) !== undefined) continue;
      const record = readClosed(Buffer.from(dataOf(path, service)));
      if (record !== undefined) return { ...record, path };
    }
    return undefined;
  }

  /** Deletes a closed lock, unless somebody holds it by then. */
  free({ path }: AbandonedLock): void {
    const service = this.access.leaderWith(path);
    if (service !== undefined) this.#delete([path], service, () => {});
  }

  #delete(paths: readonly string[], service: ZooKeeperService, applied: Applied): void {
    const session = this.access.open(service);
    const steps = paths.map((path) => ({ op: OP.DELETE, path, version: -1 }) as const);
    this.access.changeAll(service, session, steps, applied);
    this.access.close(service, session);
  }
}
