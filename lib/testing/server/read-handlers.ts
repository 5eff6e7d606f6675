import { checkAccess, isAllowed } from '../identity/access.js';
import { userName } from '../identity/identity.js';
import { OperationError } from '../tree/operation-error.js';
import type { Store } from '../transactions/store.js';
import { errorCode } from '../transactions/prepare.js';
import type { DataNode } from '../tree/data-node.js';
import { PERMISSION, type Acl } from '../../zookeeper/protocol/acl.js';
import { OP } from '../../zookeeper/protocol/op-codes.js';
import { isRead, readSteps } from '../wire/read-request.js';
import type { ReplyBody } from '../wire/replies.js';
import type { ReplyWriter } from '../wire/reply-writer.js';
import { MalformedRequestError, type RequestReader } from '../wire/request-reader.js';
import { writeEndOfSteps, writeStepError, writeStepHeader } from '../wire/step-outcomes.js';
import type { Client } from './client.js';

/** Requests that read nodes and may set watches. */
export class ReadHandlers {
  constructor(
    private readonly store: Store,
    private readonly hidesStats: boolean,
  ) {}

  exists(reader: RequestReader, client: Client): ReplyBody {
    const path = reader.text();
    const watch = reader.boolean();
    if (path.includes('\0')) throw new OperationError('BAD_ARGUMENTS');
    if (this.hidesStats && this.store.tree.get(path) !== undefined) this.#readable(path, client);
    if (watch) this.store.watches.data.add(path, client);
    const stat = this.#node(path).stat();
    return (writer) => writer.stat(stat);
  }

  getData(reader: RequestReader, client: Client): ReplyBody {
    const path = reader.text();
    const watch = reader.boolean();
    const node = this.#readable(path, client);
    if (watch) this.store.watches.data.add(path, client);
    return (writer) => writer.buffer(node.data).stat(node.stat());
  }

  getChildren(reader: RequestReader, client: Client): ReplyBody {
    const node = this.#listed(reader, client);
    return (writer) => writer.strings([...node.children]);
  }

  getChildren2(reader: RequestReader, client: Client): ReplyBody {
    const node = this.#listed(reader, client);
    return (writer) => writer.strings([...node.children]).stat(node.stat());
  }

  getAllChildrenNumber(reader: RequestReader, client: Client): ReplyBody {
    const path = reader.text();
    this.#readable(path, client);
    return (writer) => writer.int(this.store.tree.countBelow(path));
  }

  getEphemerals(reader: RequestReader, client: Client): ReplyBody {
    const prefix = reader.string() ?? '';
    const all = prefix.trim() === '' || prefix.trim() === '/';
    const paths = [...this.store.tree.ephemeralsOf(client.session)];
    return (writer) => writer.strings(all ? paths : paths.filter((path) => path.startsWith(prefix)));
  }

  getAcl(reader: RequestReader, client: Client): ReplyBody {
    const node = this.#node(reader.text());
    const identities = client.identities.all();
    checkAccess(node.acl, PERMISSION.READ | PERMISSION.ADMIN, identities);
    const acl = isAllowed(node.acl, PERMISSION.ADMIN, identities) ? node.acl : node.acl.map(withoutHash);
    return (writer) => writer.acl(acl).stat(node.stat());
  }

  whoAmI(_reader: RequestReader, client: Client): ReplyBody {
    const identities = client.identities.all();
    return (writer) => {
      writer.int(identities.length);
      for (const identity of identities) writer.string(identity.scheme).string(userName(identity));
    };
  }

  sync(reader: RequestReader): ReplyBody {
    const path = reader.string();
    return (writer) => writer.string(path);
  }

  multiRead(reader: RequestReader, client: Client): ReplyBody {
    const steps = readSteps(reader);
    if (!steps.every(isRead)) throw new MalformedRequestError('A multiRead contains a change');
    return (writer) => {
      for (const { op, path } of steps) {
        try {
          writeStep(writer, op, this.#readable(path, client));
        } catch (error) {
          writeStepError(writer, errorCode(error));
        }
      }
      writeEndOfSteps(writer);
    };
  }

  #listed(reader: RequestReader, client: Client): DataNode {
    const path = reader.text();
    const watch = reader.boolean();
    const node = this.#readable(path, client);
    if (watch) this.store.watches.children.add(path, client);
    return node;
  }

  #readable(path: string, client: Client): DataNode {
    const node = this.#node(path);
    checkAccess(node.acl, PERMISSION.READ, client.identities.all());
    return node;
  }

  #node(path: string): DataNode {
    const node = this.store.tree.get(path);
    if (!node) throw new OperationError('NO_NODE');
    return node;
  }
}

function writeStep(writer: ReplyWriter, op: number, node: DataNode): void {
  writeStepHeader(writer, op);
  if (op === OP.GET_DATA) writer.buffer(node.data).stat(node.stat());
  else writer.strings([...node.children]);
}

/** A client without ADMIN permission does not see the hashes of passwords. */
function withoutHash(rule: Acl): Acl {
  return rule.scheme === 'digest' ? { ...rule, id: rule.id.replace(/:.*/, ':x') } : rule;
}
