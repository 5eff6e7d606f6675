import { digestIdentity } from '../identity/identity.js';
import { ERROR_CODES } from '../../zookeeper/protocol/error-codes.js';
import { encodeReply } from '../wire/replies.js';
import type { RequestReader } from '../wire/request-reader.js';
import type { Connection } from './connection.js';

// These requests do not belong to the session: they do not extend it, and their replies have the zxid 0.

/** Adds an identity to the connection, or closes it. Returns the error code of the reply. */
export function authenticate(connection: Connection, xid: number, reader: RequestReader): number {
  reader.int(); // type; always 0
  const code = prove(connection, reader.string(), reader.buffer()) ? ERROR_CODES.OK : ERROR_CODES.AUTH_FAILED;
  connection.send(encodeReply(xid, 0n, code));
  if (code !== ERROR_CODES.OK) connection.end();
  return code;
}

/** SASL is not configured: the reply has no token. */
export function answerSasl(connection: Connection, xid: number, reader: RequestReader): number {
  reader.buffer();
  connection.send(encodeReply(xid, 0n, ERROR_CODES.OK, (writer) => writer.buffer(null)));
  return ERROR_CODES.OK;
}

function prove({ identities, address }: Connection, scheme: string | null, proof: Buffer | null): boolean {
  if (scheme === 'ip') identities.add({ scheme, id: address });
  else if (scheme === 'digest' && proof) identities.add(digestIdentity(proof));
  else return false;
  return true;
}
