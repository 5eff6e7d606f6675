import type { Acl } from '../../zookeeper/protocol/acl.js';
import { CREATE_FLAGS } from '../../zookeeper/protocol/create-flags.js';
import { OP } from '../../zookeeper/protocol/op-codes.js';
import { MalformedRequestError, type RequestReader } from './request-reader.js';
import type {
  ChangeRequest,
  CheckRequest,
  CreateRequest,
  DeleteRequest,
  ReadStepRequest,
  SetAclRequest,
  SetDataRequest,
  StepRequest,
} from './requests.js';

const TTL_FLAGS = new Set<number>([
  CREATE_FLAGS['persistent-with-ttl'],
  CREATE_FLAGS['persistent-sequential-with-ttl'],
]);

export function readCreate(reader: RequestReader, op: CreateRequest['op']): CreateRequest {
  const path = reader.text();
  const data = reader.buffer();
  const acl = readAcl(reader);
  const flags = reader.int();
  const ttl = op === OP.CREATE_TTL ? reader.long() : -1n;
  return { op, path, data, acl, flags, ttl };
}

/** @throws MalformedRequestError */
export function readChange(reader: RequestReader, op: ChangeRequest['op']): ChangeRequest {
  switch (op) {
    case OP.DELETE:
      return readDelete(reader);
    case OP.SET_DATA:
      return readSetData(reader);
    case OP.SET_ACL:
      return readSetAcl(reader);
    case OP.CHECK:
      return readCheck(reader);
    default:
      return readCreate(reader, op);
  }
}

/** @throws MalformedRequestError also if there are both reads and changes */
export function readSteps(reader: RequestReader): (StepRequest | ReadStepRequest)[] {
  const steps: (StepRequest | ReadStepRequest)[] = [];
  for (;;) {
    const type = reader.int();
    const done = reader.boolean();
    reader.int(); // error code, used in replies only
    if (done) break;
    steps.push(readStep(reader, type));
  }
  const reads = steps.filter(isRead);
  if (reads.length > 0 && reads.length < steps.length)
    throw new MalformedRequestError('A multi contains both reads and changes');
  return steps;
}

export function isRead(step: StepRequest | ReadStepRequest): step is ReadStepRequest {
  return step.op === OP.GET_DATA || step.op === OP.GET_CHILDREN;
}

function readStep(reader: RequestReader, op: number): StepRequest | ReadStepRequest {
  switch (op) {
    case OP.CREATE:
    case OP.CREATE2:
    case OP.CREATE_CONTAINER:
    case OP.CREATE_TTL:
      return asStep(readCreate(reader, op));
    case OP.DELETE:
      return readDelete(reader);
    case OP.SET_DATA:
      return readSetData(reader);
    case OP.CHECK:
      return readCheck(reader);
    case OP.GET_DATA:
    case OP.GET_CHILDREN: {
      const path = reader.text();
      reader.boolean(); // a multiRead sets no watches
      return { op, path };
    }
    default:
      throw new MalformedRequestError(`A step of a transaction has the type ${op}`);
  }
}

/** In a transaction the flags decide the kind of node, not the request type. */
function asStep(request: CreateRequest): CreateRequest {
  if (request.flags === CREATE_FLAGS.container) return { ...request, op: OP.CREATE_CONTAINER, ttl: -1n };
  if (!TTL_FLAGS.has(request.flags)) return { ...request, op: OP.CREATE, ttl: -1n };
  if (request.op === OP.CREATE_TTL) return request;
  throw new MalformedRequestError('The flags require a ttl, which this request does not have');
}

function readDelete(reader: RequestReader): DeleteRequest {
  return { op: OP.DELETE, path: reader.text(), version: reader.int() };
}

// These paths are validated, and null is as invalid as an empty path.
function readSetData(reader: RequestReader): SetDataRequest {
  const path = reader.string() ?? '';
  return { op: OP.SET_DATA, path, data: reader.buffer(), version: reader.int() };
}

function readSetAcl(reader: RequestReader): SetAclRequest {
  const path = reader.string() ?? '';
  return { op: OP.SET_ACL, path, acl: readAcl(reader), version: reader.int() };
}

function readCheck(reader: RequestReader): CheckRequest {
  return { op: OP.CHECK, path: reader.string() ?? '', version: reader.int() };
}

function readAcl(reader: RequestReader): Acl[] | null {
  return reader.vector(() => ({
    permissions: reader.int(),
    scheme: reader.string() ?? '',
    id: reader.string() ?? '',
  }));
}
