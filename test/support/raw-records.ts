import type { ConnectionOptions } from 'node:tls';
import type { JuteReader } from './jute.js';

/** What a client needs to continue a session on another connection. */
export interface KnownSession {
  readonly id: bigint;
  readonly password: Buffer;
}

export interface RawSessionOptions {
  /** Requested timeout, ms; the server decides. @default 30_000 */
  readonly sessionTimeout?: number;
  /** Pings, so that the session lasts however long the test does. @default false */
  readonly keepAlive?: boolean;
  /** Continues this session instead of creating one. */
  readonly session?: KnownSession;
  /** For the TCP connection and for every reply. @default 10_000 */
  readonly timeoutMs?: number;
  readonly tls?: ConnectionOptions;
  /** `user:password` for the scheme digest. */
  readonly auth?: string;
}

export interface RawStat {
  readonly czxid: bigint;
  readonly mzxid: bigint;
  readonly version: number;
  readonly cversion: number;
  readonly ephemeralOwner: bigint;
  readonly numChildren: number;
}

export type RawCreateMode = keyof typeof CREATE_FLAGS;

export const CREATE_FLAGS = {
  persistent: 0,
  ephemeral: 1,
  'persistent-sequential': 2,
  'ephemeral-sequential': 3,
  container: 4,
} as const;

/** The server replied with an error code. */
export class RawSessionError extends Error {
  override readonly name = 'RawSessionError';

  constructor(
    readonly code: number,
    request: string,
  ) {
    super(`ZooKeeper answered ${request} with error ${code}.`);
  }
}

export function readStat(reader: JuteReader): RawStat {
  const [czxid, mzxid] = [reader.long(), reader.long()];
  reader.long(); // ctime
  reader.long(); // mtime
  const [version, cversion] = [reader.int(), reader.int()];
  reader.int(); // aversion
  const ephemeralOwner = reader.long();
  reader.int(); // dataLength
  const numChildren = reader.int();
  return { czxid, mzxid, version, cversion, ephemeralOwner, numChildren };
}
