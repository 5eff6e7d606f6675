import { describeValue } from '../../locking/describe-value.js';
import { LockConfigurationError } from '../../locking/errors/lock-configuration.error.js';
import { ERROR_CODES } from '../../zookeeper/protocol/error-codes.js';
import { parseToken } from '../fenced-write.js';
import { codeOf, type ZnodeClient, type ZnodeTransaction } from './znode-client.interface.js';

/** What a fence contained when it was read. */
export interface Fence {
  /** The newest token; 0 before the first write. */
  readonly token: bigint;
  readonly version: number;
}

/**
 * Reads a fence; undefined if it does not exist.
 *
 * @throws LockConfigurationError if the znode contains no token, or has a version that cannot be checked
 * @throws the error of the client
 */
export function readFence(client: ZnodeClient<ZnodeTransaction>, path: string): Promise<Fence | undefined> {
  return new Promise((resolve, reject) => {
    client.getData(path, (error, data, stat) => {
      if (codeOf(error) === ERROR_CODES.NO_NODE) return resolve(undefined);
      if (error) return reject(error);
      const text = data?.toString('latin1') ?? '';
      const token = text === '' ? 0n : parseToken(text);
      if (token === undefined) return reject(notAFence(path, text));
      if (stat.version === 0) return reject(uncheckable(path));
      resolve({ token, version: stat.version });
    });
  });
}

/**
 * Adds operations that make `token` the newest one, and fail if the fence has changed since it was read. Returns their
 * number.
 */
export function addGuards(
  transaction: ZnodeTransaction,
  path: string,
  found: Fence | undefined,
  token: bigint,
): number {
  const data = Buffer.from(String(token));
  if (found === undefined) {
    transaction.create(path, data);
    // Nobody must see version 0, which node-zookeeper-client takes for "any version".
    transaction.setData(path, data);
    return 2;
  }
  if (found.token === token) transaction.check(path, found.version);
  else transaction.setData(path, data, found.version);
  return 1;
}

function notAFence(path: string, text: string): LockConfigurationError {
  return new LockConfigurationError(
    `The znode '${path}' is not a fence: it contains ${describeValue(text)} instead of a fencing token. Use a separate znode ` +
      'for the fence',
  );
}

function uncheckable(path: string): LockConfigurationError {
  return new LockConfigurationError(
    `The fence '${path}' has version 0, which node-zookeeper-client cannot check: it means "any version" there. Let ` +
      'commitFenced() create the fence, or write to it once after you have created it',
  );
}
