import { ERROR_CODES } from '../../zookeeper/protocol/error-codes.js';
import { OP } from '../../zookeeper/protocol/op-codes.js';
import type { Requester } from '../transactions/prepare.js';
import type { Proposal, TransactionResult } from '../transactions/transaction.js';
import { isRead, readChange, readSteps } from '../wire/read-request.js';
import { NO_REPLY, type ReplyBody } from '../wire/replies.js';
import { MalformedRequestError, type RequestReader } from '../wire/request-reader.js';
import type { ChangeRequest, ReadStepRequest, StepRequest } from '../wire/requests.js';
import { writeStepOutcomes } from '../wire/step-outcomes.js';
import type { Client } from './client.js';

/** A request that uses up a zxid, whether it succeeds or fails. */
export interface ChangeHandler {
  /** A `MalformedRequestError` says that the request does not even become a proposal. */
  propose(reader: RequestReader, client: Client): Proposal;
  /** The body of the reply if the proposal has succeeded. */
  body(result: TransactionResult): ReplyBody | typeof NO_REPLY | undefined;
}

export function changeHandler(op: ChangeRequest['op']): ChangeHandler {
  return {
    propose: (reader, client) =>
      orRefused(() => ({
        kind: 'change',
        request: readChange(reader, op),
        requester: requester(client),
      })),
    body: ({ outcomes: [outcome] }) => {
      if (outcome === undefined || outcome.op === OP.ERROR || op === OP.DELETE) return undefined;
      if (op === OP.CHECK) return NO_REPLY;
      const { path, stat } = outcome;
      if (op === OP.CREATE) return (writer) => writer.string(path);
      if (op === OP.SET_DATA || op === OP.SET_ACL) return (writer) => writer.stat(stat!);
      return (writer) => writer.string(path).stat(stat!);
    },
  };
}

export const MULTI_HANDLER: ChangeHandler = {
  propose: (reader, client) =>
    orRefused(() => {
      const steps = readSteps(reader);
      if (!steps.every(isChange)) throw new MalformedRequestError('A read in a transaction');
      return { kind: 'multi', steps, requester: requester(client) };
    }),
  body:
    ({ outcomes }) =>
    (writer) =>
      writeStepOutcomes(writer, outcomes),
};

/** Disabled unless somebody configures it. */
export const RECONFIGURE_HANDLER = refusing('RECONFIG_DISABLED', (reader) => {
  for (let field = 0; field < 3; field++) reader.string();
  reader.long();
});

/** Reserved for servers: a client's request lacks the fields that a server would add. */
export const CREATE_SESSION_HANDLER = refusing('MARSHALLING_ERROR');

/** Reserved for servers: a real server takes no path from a client here. */
export const DELETE_CONTAINER_HANDLER = refusing('BAD_ARGUMENTS');

function refusing(
  error: 'RECONFIG_DISABLED' | 'MARSHALLING_ERROR' | 'BAD_ARGUMENTS',
  read: (reader: RequestReader) => void = () => {},
): ChangeHandler {
  return {
    propose: (reader) => {
      read(reader);
      return { kind: 'refused', code: ERROR_CODES[error] };
    },
    body: () => undefined,
  };
}

/** Like on a real server, a request that cannot be read uses up a zxid too. */
function orRefused(propose: () => Proposal): Proposal {
  try {
    return propose();
  } catch (error) {
    if (!(error instanceof MalformedRequestError)) throw error;
    return { kind: 'refused', code: ERROR_CODES.MARSHALLING_ERROR };
  }
}

function requester({ session, identities }: Client): Requester {
  return { session, identities: identities.all() };
}

function isChange(step: StepRequest | ReadStepRequest): step is StepRequest {
  return !isRead(step);
}
