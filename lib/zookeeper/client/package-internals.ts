import jute from 'node-zookeeper-client/lib/jute/index.js';
import paths from 'node-zookeeper-client/lib/Path.js';
import { ENCODING_SAMPLES } from './encoding-samples.js';
import type { Jute } from './jute.interface.js';

/**
 * Everything this library knows about the inside of `node-zookeeper-client`: its `jute` records, which encode requests,
 * and its check of paths. Its `Client` and its connection manager are not used: they lose callbacks, sessions and
 * sometimes the process, and know nothing of priorities. Imported as an application would import them, so that every
 * bundler finds them.
 */
const RECORDS = [
  'RequestHeader',
  'CreateRequest',
  'DeleteRequest',
  'SetDataRequest',
  'ExistsRequest',
  'GetDataRequest',
  'GetChildren2Request',
  'SetWatches',
  'AuthPacket',
] as const;

export interface PackageInternals {
  readonly jute: Jute;
  /** Throws if `path` is not a valid znode path. */
  readonly validatePath: (path: string) => void;
}

/**
 * The package is checked by the bytes it encodes and not by its version, so that its range of versions can be open: a
 * release that encodes all samples alike is as good as the tested one, and any other one is refused at the start.
 *
 * @throws Error if the installed package is not the one whose internals are described here
 */
export function loadPackageInternals(): PackageInternals {
  requireMethods('lib/jute', jute.protocol, RECORDS);
  requireMethods('lib/jute', jute.data, ['ACL', 'Id']);
  requireMethods('lib/jute', jute, ['Request', 'TransactionRequest']);
  requireMethods('lib/Path.js', paths, ['validate']);
  for (const { name, encode, frame } of ENCODING_SAMPLES) {
    const encoded = encode(jute).toString('hex');
    if (encoded !== frame) throw unsupported(`it encodes a ${name} request as ${encoded}`);
  }
  if (isRefused('/a') || !isRefused('/a/../b')) throw unsupported('it checks paths in another way');
  return { jute, validatePath: paths.validate };
}

function isRefused(path: string): boolean {
  try {
    paths.validate(path);
    return false;
  } catch {
    return true;
  }
}

function requireMethods(owner: string, object: object | undefined, names: readonly string[]): void {
  const missing = names.filter((name) => typeof Reflect.get(object ?? {}, name) !== 'function');
  if (missing.length > 0) throw unsupported(`${owner} lacks ${missing.join(', ')}`);
}

function unsupported(finding: string): Error {
  return new Error(
    `nestjs-locked cannot work with the installed version of node-zookeeper-client: ${finding}. ` +
      'Install version 1.1.3; "npm ls node-zookeeper-client" shows which dependency brings another copy.',
  );
}
