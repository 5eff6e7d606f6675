import type { ConnectionOptions } from 'node:tls';
import { deserialize, serialize } from 'node:v8';
import type { Credential } from '../client/credentials.js';
import type { KnownSession } from '../client/session-credentials.js';
import type { ServerAddress } from '../connect-string.js';

/** The process whose death a guard waits for, and how it connects. */
export interface GuardedProcess {
  readonly pid: number;
  readonly servers: readonly ServerAddress[];
  /** Servers with `enforce.auth.enabled` end no session without them. */
  readonly auth: readonly Credential[];
  readonly tls?: ConnectionOptions;
}

/**
 * What a process tells its guard, over a pipe that only these two hold: first who it is, then its sessions as they come and
 * go. Contains passwords, those of sessions too: never in arguments, the environment or a log.
 */
export type GuardMessage =
  | { readonly kind: 'guard'; readonly process: GuardedProcess }
  | { readonly kind: 'opened'; readonly session: KnownSession }
  | { readonly kind: 'ended'; readonly sessionId: bigint };

/** A line of text. Options of TLS may contain buffers, of which JSON keeps nothing useful. */
export function encodeMessage(message: GuardMessage): string {
  return `${serialize(message).toString('base64')}\n`;
}

export function decodeMessage(line: string): GuardMessage {
  return deserialize(Buffer.from(line, 'base64')) as GuardMessage;
}
