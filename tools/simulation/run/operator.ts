import type { ZooKeeperService } from '../../../lib/testing/server/zookeeper-service.js';
import type { Session } from '../../../lib/testing/sessions/session-table.js';
import { NO_OWNER, ownerKind } from '../../../lib/testing/tree/ephemeral-owner.js';
import { SessionIds } from '../../../lib/testing/sessions/session-ids.js';
import { OPEN_ACL } from '../../../lib/zookeeper/protocol/acl.js';
import { CREATE_FLAGS } from '../../../lib/zookeeper/protocol/create-flags.js';
import { OP } from '../../../lib/zookeeper/protocol/op-codes.js';
import { SESSION_PASSWORD_BYTES } from '../../../lib/zookeeper/protocol/session-password.js';
import { readClosed, type ClosedRecord } from '../../../lib/zookeeper/recipe/closed-record.js';
import { isClosed } from '../../../lib/zookeeper/recipe/contender-name.js';
import { holderPath, nameOf } from '../../../lib/zookeeper/recipe/lock-path.js';
import type { Ensembles } from '../ensemble/ensembles.js';
import type { SimulatedEnsemble } from '../ensemble/simulated-ensemble.js';
import { ROOT } from './simulated-process.js';

/** No server has this number: the ids of these sessions differ from all others. */
const SERVER_NUMBER = 99;
export const FOREIGN_SESSION_TIMEOUT_MS = 40_000;

/** A closed lock that shows no holder, and what it says of the last one. */
export interface AbandonedLock extends ClosedRecord {
  readonly path: string;
}

/** Somebody who writes to the servers without this library: an operator, or a client of another one. */
export class Operator {
  readonly #ids = new SessionIds(SERVER_NUMBER, 0);

  constructor(private readonly ensembles: Ensembles) {}

  /** Deletes the first contender of a resource, and returns it; undefined if there is none, or no leader. */
  deleteContender(resource: string): { readonly data: string; readonly czxid: bigint } | undefined {
    const service = this.#serviceOf(pathOf(resource));
    const [first] = contendersOf(resource, service);
    if (service === undefined || first === undefined) return undefined;
    const node = service.store.tree.get(first);
    const data = dataOf(first, service);
    const session = this.#open(service);
    const request = { op: OP.DELETE, path: first, version: -1 };
    service.quorum.commit({ kind: 'change', request, requester: requester(session) }, () => {});
    service.quorum.commit({ kind: 'closeSession', session: session.id }, () => {});
    return { data, czxid: node?.czxid ?? 0n };
  }

  /** What the contenders of a resource have written about themselves, in their order. */
  contenderRecords(resource: string): string[] {
    const service = this.#serviceOf(pathOf(resource));
    return contendersOf(resource, service).map((path) => dataOf(path, service));
  }

  /** Queues for a resource whose lock path exists. Returns the function that leaves; undefined if there is no such path. */
  contend(resource: string, name: string): (() => void) | undefined {
    const path = pathOf(resource);
    const ensemble = this.#ensembleOf(path);
    const service = leaderOf(ensemble);
    if (service === undefined || isSimple(path, service)) return undefined;
    const session = this.#open(service);
    const request = {
      op: OP.CREATE2,
      path: `${path}/${name}`,
      data: Buffer.from('foreign'),
      acl: [...OPEN_ACL],
      flags: CREATE_FLAGS['ephemeral-sequential'],
      ttl: -1n,
    };
    service.quorum.commit({ kind: 'change', request, requester: requester(session) }, () => {});
    return () => leaderOf(ensemble)?.quorum.commit({ kind: 'closeSession', session: session.id }, () => {});
  }

  /** The closed lock of a resource whose holder's session has ended, if there is one. */
  abandonedLock(resource: string): AbandonedLock | undefined {
    const service = this.#serviceOf(pathOf(resource));
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
    const service = this.#serviceOf(path);
    if (service === undefined) return;
    const session = this.#open(service);
    const request = { op: OP.DELETE, path, version: -1 };
    service.quorum.commit({ kind: 'change', request, requester: requester(session) }, () => {});
    service.quorum.commit({ kind: 'closeSession', session: session.id }, () => {});
  }

  #serviceOf(path: string): ZooKeeperService | undefined {
    return leaderOf(this.#ensembleOf(path));
  }

  /** The ensemble that has the node, if any has it and serves. */
  #ensembleOf(path: string): SimulatedEnsemble | undefined {
    return this.ensembles.all.find((ensemble) => leaderOf(ensemble)?.store.tree.get(path) !== undefined);
  }

  #open(service: ZooKeeperService): Session {
    const password = Buffer.alloc(SESSION_PASSWORD_BYTES);
    const session = { id: this.#ids.next(), password, timeout: FOREIGN_SESSION_TIMEOUT_MS };
    service.quorum.commit({ kind: 'openSession', session }, () => {});
    return session;
  }
}

function leaderOf(ensemble: SimulatedEnsemble | undefined): ZooKeeperService | undefined {
  return ensemble?.members.find(({ state, isServing }) => state === 'leading' && isServing)?.service;
}

function pathOf(resource: string): string {
  return `${ROOT}/${resource}`;
}

/** In the order of their sequence numbers; of a lock without a queue, its node. */
function contendersOf(resource: string, service: ZooKeeperService | undefined): string[] {
  const path = pathOf(resource);
  if (isSimple(path, service)) return [path];
  const names = [...(service?.store.tree.get(path)?.children ?? [])];
  return names.sort((a, b) => Number(a.slice(-10)) - Number(b.slice(-10))).map((name) => `${path}/${name}`);
}

function isSimple(path: string, service: ZooKeeperService | undefined): boolean {
  return ownerKind(service?.store.tree.get(path)?.owner ?? NO_OWNER) === 'session';
}

function dataOf(path: string, service: ZooKeeperService | undefined): string {
  return service?.store.tree.get(path)?.data?.toString('utf8') ?? '';
}

function requester({ id }: Session) {
  return { session: id, identities: [] };
}
