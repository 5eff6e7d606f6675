import { describeValue } from '../locking/describe-value.js';
import { LockConfigurationError } from '../locking/errors/lock-configuration.error.js';
import { excludesAll } from '../locking/lock-modes.js';
import type { LockMode } from '../locking/lock-provider.interface.js';
import { assertResourceName } from '../locking/resource-name.js';

/** The largest signed `BIGINT`. */
const MAX_TOKEN = (1n << 63n) - 1n;

/** A token as text, for error messages. */
export const TOKEN_FORM = `a whole number from 1 to ${MAX_TOKEN}, in decimal digits`;

/**
 * A write that a guarded resource accepts only if no later holder of the lock has written: a `HeldLock`, or the name of its
 * lock and the token that arrived with the write.
 *
 * @publicApi
 */
export interface FencedWrite {
  /** Name of the lock. Tokens of different locks cannot be compared. */
  readonly resource: string;
  /** The token of the hold in which the data were read, not a newer one. */
  readonly fencingToken: bigint;
  /** The mode of the hold, if known: `read` and `semaphore` are refused, because their holders have tokens in any order. */
  readonly mode?: LockMode;
}

/**
 * Returns the token of a writer.
 *
 * @throws LockConfigurationError if the writer is missing, has no token, or shares the lock with others
 */
export function writerToken(writer: Omit<FencedWrite, 'resource'>): bigint {
  assertWriter(writer);
  const { fencingToken, mode } = writer;
  if (mode !== undefined && !excludesAll(mode)) {
    throw new LockConfigurationError(
      `Only the only holder of a lock can be fenced: got a hold with mode '${mode}', and holders of this mode have tokens in ` +
        "any order. Hold the lock with mode 'exclusive' or 'write' to write",
    );
  }
  if (typeof fencingToken === 'bigint' && isToken(fencingToken)) return fencingToken;
  throw new LockConfigurationError(
    `A fencing token must be a bigint from 1 to ${MAX_TOKEN}: got ${describeValue(fencingToken)}. Pass held.fencingToken ` +
      'as it is: a JavaScript number loses digits',
  );
}

/** @throws LockConfigurationError if the write has no valid name, or no token of a writer */
export function assertFencedWrite(write: FencedWrite): void {
  assertWriter(write);
  assertResourceName(write.resource);
  writerToken(write);
}

/** Code that is not type-checked passes `LockService.current()` as it is. */
function assertWriter(writer: unknown): void {
  if (typeof writer === 'object' && writer !== null) return refuseSeveral(writer);
  throw new LockConfigurationError(
    `A fenced write needs the HeldLock of its writer, or an object with its fencingToken: got ${describeValue(writer)}. ` +
      'LockService.current() returns undefined outside a lock: use LockService.currentOrThrow() there',
  );
}

/** Locks that are held together have a token each. */
function refuseSeveral(writer: object): void {
  const members: unknown = Reflect.get(writer, 'members');
  if (!Array.isArray(members)) return;
  throw new LockConfigurationError(
    `A fenced write needs the HeldLock of one resource: got ${members.length} that are held together, each with its own ` +
      'token. Pass each of held.members, or held.member(name)',
  );
}

/** Undefined unless the text has `TOKEN_FORM`. */
export function parseToken(text: string): bigint | undefined {
  if (!/^\d{1,19}$/.test(text)) return undefined;
  const token = BigInt(text);
  return isToken(token) ? token : undefined;
}

function isToken(token: bigint): boolean {
  return token > 0n && token <= MAX_TOKEN;
}
