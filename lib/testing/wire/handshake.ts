import { SESSION_PASSWORD_BYTES } from '../../zookeeper/protocol/session-password.js';
import { ReplyWriter } from './reply-writer.js';
import { RequestReader } from './request-reader.js';

/** The first frame of a connection. */
export interface ConnectRequest {
  readonly lastZxid: bigint;
  /** Requested session timeout, ms. */
  readonly timeout: number;
  /** 0 requests a new session. */
  readonly session: bigint;
  readonly password: Buffer | null;
  /** Clients before 3.4 do not send the field `readOnly` and do not expect it in the response. */
  readonly saysReadOnly: boolean;
}

export function readConnectRequest(frame: Buffer): ConnectRequest {
  const reader = new RequestReader(frame);
  reader.int(); // protocol version, always 0
  return {
    lastZxid: reader.long(),
    timeout: reader.int(),
    session: reader.long(),
    password: reader.buffer(),
    saysReadOnly: reader.remaining > 0,
  };
}

export interface Granted {
  readonly id: bigint;
  readonly timeout: number;
  readonly password: Buffer;
}

/** Without a session the request is refused: its session has expired or never existed. */
export function connectResponse(session: Granted | undefined, saysReadOnly: boolean): Buffer {
  const writer = new ReplyWriter().int(0);
  writer.int(session?.timeout ?? 0).long(session?.id ?? 0n);
  writer.buffer(session?.password ?? Buffer.alloc(SESSION_PASSWORD_BYTES));
  if (saysReadOnly) writer.boolean(false);
  return writer.frame();
}
