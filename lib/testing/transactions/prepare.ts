import { checkAccess, resolveAcl } from '../identity/access.js';
import type { Identity } from '../identity/identity.js';
import { OperationError } from '../tree/operation-error.js';
import type { Change } from '../tree/change.js';
import { ownerKind } from '../tree/ephemeral-owner.js';
import { parentOf, parentOfDeletable, validatePath } from '../tree/paths.js';
import { PERMISSION } from '../../zookeeper/protocol/acl.js';
import { OP } from '../../zookeeper/protocol/op-codes.js';
import { MalformedRequestError } from '../wire/request-reader.js';
import type {
  ChangeRequest,
  CheckRequest,
  CreateRequest,
  DeleteRequest,
  SetAclRequest,
  SetDataRequest,
} from '../wire/requests.js';
import { createMode, ownerFor, sequenceSuffix } from './create-mode.js';
import type { PendingTree } from './pending-tree.js';

/** The client that sent the request. */
export interface Requester {
  readonly session: bigint;
  readonly identities: readonly Identity[];
}

/** Decides whether a change is allowed. The checks are in the order of a real server. */
export class Preparation {
  constructor(
    private readonly tree: PendingTree,
    private readonly requester: Requester,
    private readonly ttlNodes: boolean,
  ) {}

  /** @throws OperationError */
  prepare(request: ChangeRequest): Change {
    const change = this.#decide(request);
    this.tree.add(change);
    return change;
  }

  #decide(request: ChangeRequest): Change {
    switch (request.op) {
      case OP.DELETE:
        return this.#delete(request);
      case OP.SET_DATA:
        return this.#setData(request);
      case OP.SET_ACL:
        return this.#setAcl(request);
      case OP.CHECK:
        return this.#check(request);
      default:
        return this.#create(request);
    }
  }

  #create(request: CreateRequest): Change {
    const { path: asked, data, acl } = request;
    const mode = createMode(request, this.ttlNodes);
    const parentPath = parentOf(asked);
    const rules = resolveAcl(acl, this.requester.identities);
    const parent = this.tree.get(parentPath);
    checkAccess(parent.acl, PERMISSION.CREATE, this.requester.identities);

    const path = mode.sequential ? asked + sequenceSuffix(parent.cversion) : asked;
    validatePath(path);
    if (this.tree.find(path)) throw new OperationError('NODE_EXISTS');
    if (ownerKind(parent.owner) === 'session') throw new OperationError('NO_CHILDREN_FOR_EPHEMERALS');
    const owner = ownerFor(request, mode, this.requester.session);
    return { kind: 'create', path, data, acl: rules, owner, parentCversion: (parent.cversion + 1) | 0 };
  }

  #delete({ path, version }: DeleteRequest): Change {
    const parent = this.tree.get(parentOfDeletable(path));
    checkAccess(parent.acl, PERMISSION.DELETE, this.requester.identities);
    const node = this.tree.get(path);
    nextVersion(node.version, version);
    if (node.childCount > 0) throw new OperationError('NOT_EMPTY');
    return { kind: 'delete', path };
  }

  #setData({ path, data, version }: SetDataRequest): Change {
    validatePath(path);
    const node = this.tree.get(path);
    checkAccess(node.acl, PERMISSION.WRITE, this.requester.identities);
    return { kind: 'setData', path, data, version: nextVersion(node.version, version) };
  }

  #setAcl({ path, acl, version }: SetAclRequest): Change {
    validatePath(path);
    const rules = resolveAcl(acl, this.requester.identities);
    const node = this.tree.get(path);
    checkAccess(node.acl, PERMISSION.ADMIN, this.requester.identities);
    return { kind: 'setAcl', path, acl: rules, aversion: nextVersion(node.aversion, version) };
  }

  #check({ path, version }: CheckRequest): Change {
    validatePath(path);
    const node = this.tree.get(path);
    checkAccess(node.acl, PERMISSION.READ, this.requester.identities);
    nextVersion(node.version, version);
    return { kind: 'check' };
  }
}

/** An expected version of -1 matches every version. */
function nextVersion(current: number, expected: number): number {
  if (expected !== -1 && expected !== current) throw new OperationError('BAD_VERSION');
  return (current + 1) | 0;
}

/** The error code for the reply. Errors that are not the client's fault are thrown again. */
export function errorCode(error: unknown): number {
  if (error instanceof OperationError) return error.code;
  if (error instanceof MalformedRequestError) return new OperationError('MARSHALLING_ERROR').code;
  throw error;
}
