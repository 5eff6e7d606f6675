import { describeValue } from '../../locking/describe-value.js';
import type { EnterRequest } from '../../locking/lock-provider.interface.js';
import { LockConfigurationError } from '../../locking/errors/lock-configuration.error.js';
import { contenderPrefix } from './contender-name.js';

/**
 * Characters that ZooKeeper refuses in znode names, plus `/` and the escape character: controls, U+D800 to U+F8FF, U+FFF0
 * to U+FFFF, everything above the basic plane, and a leading dot (`.` and `..` are not names).
 */
// oxlint-disable-next-line no-control-regex -- these are the characters ZooKeeper refuses
const UNSAFE = /^\.|[%/\u0000-\u001f\u007f-\u009f\ue000-\uf8ff\ufff0-\uffff]|[\u{10000}-\u{10ffff}]/gu;

/** Converts a resource name to a znode name: percent-encodes the UTF-8 bytes of unsafe characters, and keeps all others. */
export function escapeResource(resource: string): string {
  return resource.replaceAll(UNSAFE, (character) =>
    [...Buffer.from(character)]
      .map((byte) => `%${byte.toString(16).toUpperCase().padStart(2, '0')}`)
      .join(''),
  );
}

/** Maximum length of an escaped name, because every contender path counts towards the limit of its session (H61). */
const MAX_ESCAPED_BYTES = 1_024;

/** A code unit of UTF-16 has at most three bytes in UTF-8, each escaped with three characters. */
const MOST_BYTES_PER_CODE_UNIT = 9;

/** @throws LockConfigurationError if the escaped name is too long */
export function assertEscapable(resource: string): void {
  if (resource.length * MOST_BYTES_PER_CODE_UNIT <= MAX_ESCAPED_BYTES) return;
  const bytes = Buffer.byteLength(escapeResource(resource));
  if (bytes <= MAX_ESCAPED_BYTES) return;
  throw new LockConfigurationError(
    `A resource name must have at most ${MAX_ESCAPED_BYTES} bytes as stored in ZooKeeper, where each byte of "%", "/", ` +
      `emoji and control characters takes three bytes: this one has ${bytes}. Got ${describeValue(resource)}`,
  );
}

/** Reverses `escapeResource`. */
export function unescapeResource(name: string): string {
  return decodeURIComponent(name);
}

/** The lock path of a resource. Every resource has its own, so that resources never queue behind each other (H21). */
export function lockPath(root: string, resource: string): string {
  return `${root}/${escapeResource(resource)}`;
}

const HOLDER = '/holder';

/**
 * The node of the note of a resource, beside its lock path: the server removes an unused lock path. No lock path begins with
 * a dot.
 */
export function notePath(lockPath: string): string {
  return `${parentOf(lockPath) ?? ''}/.notes/${nameOf(lockPath)}`;
}

/** Bytes that a session records for a contender: the length of its path, the path with a uuid, and up to 11 digits. */
export function contenderPathBytes(
  lockPath: string,
  { mode, failure }: Pick<EnterRequest, 'mode' | 'failure'>,
): number {
  const name = `/${contenderPrefix('00000000-0000-0000-0000-000000000000', mode, failure)}`;
  const ending = failure === 'closed' ? HOLDER : '';
  return 4 + Buffer.byteLength(lockPath) + name.length + 11 + ending.length;
}

/** The ephemeral child of a closed lock's node that shows that its holder is there. Takes a path or a name. */
export function holderPath(closedPath: string): string {
  return `${closedPath}${HOLDER}`;
}

/** The same for a simple lock: the length of its path, and the path. */
export function simplePathBytes(lockPath: string): number {
  return 4 + Buffer.byteLength(lockPath);
}

/** `/a/b/c` → `/a/b`; `/a` → undefined, because `/` always exists. */
export function parentOf(path: string): string | undefined {
  const end = path.lastIndexOf('/');
  return end <= 0 ? undefined : path.slice(0, end);
}

export function nameOf(path: string): string {
  return path.slice(path.lastIndexOf('/') + 1);
}
