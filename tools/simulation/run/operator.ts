import { OP } from '../../../lib/zookeeper/protocol/op-codes.js';
import { readClosed, type ClosedRecord } from '../../../lib/zookeeper/recipe/closed-record.js';
import { isClosed } from '../../../lib/zookeeper/recipe/contender-name.js';
import { holderPath, nameOf } from '../../../lib/zookeeper/recipe/lock-path.js';
import { contendersOf, dataOf, pathOf, type DirectAccess } from './direct-access.js';

/** A closed lock that shows no holder, and what it says of the last one. */
export interface AbandonedLock extends ClosedRecord {
  readonly path: string;
}

/** Somebody who deletes nodes without this library. */
export class Operator {
  constructor(private readonly access: DirectAccess) {}

  /** Deletes the first contender of a resource, and returns it; undefined if there is none, or no leader. */
  deleteContender(resource: string): { readonly data: string; readonly czxid: bigint } | undefined {
    const service = this.access.leaderWith(pathOf(resource));
    const [first] = contendersOf(resource, service);
    if (service === undefined || first === undefined) return undefined;
    const node = service.store.tree.get(first);
    const data = dataOf(first, service);
    this.#delete(first);
    return { data, czxid: node?.czxid ?? 0n };
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
    this.#delete(path);
  }

  #delete(path: string): void {
    const service = this.access.leaderWith(path);
    if (service === undefined) return;
    const session = this.access.open(service);
    this.access.change(service, session, { op: OP.DELETE, path, version: -1 });
    this.access.close(service, session);
  }
}
