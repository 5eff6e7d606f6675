import { OperationError } from '../tree/operation-error.js';
import type { Requester } from '../transactions/prepare.js';
import type { Store } from '../transactions/store.js';
import { OP } from '../../zookeeper/protocol/op-codes.js';
import { isRead, readChange, readSteps } from '../wire/read-request.js';
import { NO_REPLY, type ReplyBody } from '../wire/replies.js';
import { MalformedRequestError, type RequestReader } from '../wire/request-reader.js';
import type { ChangeRequest, ReadStepRequest, StepRequest } from '../wire/requests.js';
import { writeStepOutcomes } from '../wire/step-outcomes.js';
import type { Client } from './client.js';

/** Requests that use up a zxid, whether they succeed or fail. */
export class ChangeHandlers {
  constructor(private readonly store: Store) {}

  change(
    reader: RequestReader,
    client: Client,
    op: ChangeRequest['op'],
  ): ReplyBody | typeof NO_REPLY | undefined {
    const moment = this.store.begin();
    const { path, stat } = this.store.change(readChange(reader, op), requester(client), moment);
    switch (op) {
      case OP.DELETE:
        return undefined;
      case OP.CHECK:
        return NO_REPLY;
      case OP.CREATE:
        return (writer) => writer.string(path);
      case OP.SET_DATA:
      case OP.SET_ACL:
        return (writer) => writer.stat(stat!);
      default:
        return (writer) => writer.string(path).stat(stat!);
    }
  }

  multi(reader: RequestReader, client: Client): ReplyBody {
    const moment = this.store.begin();
    const steps = readSteps(reader);
    if (!steps.every(isChange)) throw new MalformedRequestError('A read in a transaction');
    const outcomes = this.store.transact(steps, requester(client), moment);
    return (writer) => writeStepOutcomes(writer, outcomes);
  }

  /** A standalone server has no ensemble to reconfigure. */
  reconfigure(reader: RequestReader): never {
    for (let field = 0; field < 3; field++) reader.string();
    reader.long();
    this.store.begin();
    throw new OperationError('RECONFIG_DISABLED');
  }

  /** Reserved for servers: a client's request lacks the fields that a server would add. */
  createSession(): never {
    this.store.begin();
    throw new MalformedRequestError('A client requested a session within a session');
  }

  /** Reserved for servers: a real server takes no path from a client here. */
  deleteContainer(): never {
    this.store.begin();
    throw new OperationError('BAD_ARGUMENTS');
  }
}

function requester({ session, identities }: Client): Requester {
  return { session, identities: identities.all() };
}

function isChange(step: StepRequest | ReadStepRequest): step is StepRequest {
  return !isRead(step);
}
