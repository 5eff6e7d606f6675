import type { LockFailure, LockMode } from '../../locking/lock-provider.interface.js';

/**
 * What stands before the sequence number in a name: what Curator's InterProcessMutex and InterProcessReadWriteLock write.
 * Others count a contender for a permit as an exclusive one.
 */
const OWN_MARKERS: Record<LockMode, string> = {
  exclusive: 'lock-',
  read: '__READ__',
  write: '__WRIT__',
  semaphore: 'permit-lock-',
};
/** Markers before the sequence number: of Curator's mutex and read/write lock, and of kazoo's locks, which share lock paths. */
const MARKERS = ['-lock-', '__lock__', '__READ__', '__WRIT__', '__rlock__'];
/** Of Curator's and kazoo's read locks, of Curator's write lock, and of our semaphores. */
const MODE_OF_MARKER: readonly (readonly [marker: string, mode: LockMode])[] = [
  ['__READ__', 'read'],
  ['__rlock__', 'read'],
  ['__WRIT__', 'write'],
  [`-${OWN_MARKERS.semaphore}`, 'semaphore'],
];
/** Where the uuid of one of our names ends, with the dash behind it. */
const UUID_END = '_c_00000000-0000-0000-0000-000000000000-'.length;
/** Behind the uuid, with `failure: 'closed'`: of a contender that waits, and of the node that takes its place. */
const CLOSING = 'closing-';
const CLOSED = 'closed-';
/** Behind the uuid: of a writer that no reader takes the place of, as it may of Curator's (H18). */
const FIXED = 'fixed-';
/** Near 2^31, sequence numbers repeat or turn negative, depending on the server version (H20). */
const FIRST_UNTRUSTED_SEQUENCE = 2 ** 31 - 1_000_000;
const ZERO = 48;
const NINE = 57;

/** A contender's name up to the sequence number, which the server appends. */
export function contenderPrefix(uuid: string, mode: LockMode, failure: LockFailure = 'open'): string {
  return `_c_${uuid}-${wordOf(mode, failure)}${OWN_MARKERS[mode]}`;
}

/** The name that the server gives to a contender, if `sequence` is its number: with ten digits. */
export function numberedName(prefix: string, sequence: number): string {
  return prefix + String(sequence).padStart(10, '0');
}

/** True for a contender that makes room for a node of its own with the same number when it is granted the lock. */
export function isClosing(name: string): boolean {
  return name.startsWith(CLOSING, UUID_END);
}

/**
 * True for a writer that may leave a reader in its place: a holder of Curator's write lock that acquires the read lock too
 * gives its node the same number (CURATOR-621, since 5.5.0). Clients of this library never do.
 */
export function mayReadOn(name: string): boolean {
  return modeOf(name) === 'write' && !name.startsWith(FIXED, UUID_END);
}

/** Whether another node with the same number may take the place of this one. */
export function canBeReplaced(name: string): boolean {
  return isClosing(name) || mayReadOn(name);
}

/** True for the node of a lock that stays taken without its holder. */
export function isClosed(name: string): boolean {
  return name.startsWith(CLOSED, UUID_END);
}

/** The name of the node that takes the place of a closing contender. */
export function closedName(name: string): string {
  return `${name.slice(0, UUID_END)}${CLOSED}${name.slice(UUID_END + CLOSING.length)}`;
}

/** Finds a contender among the children of its lock path by its prefix, even if the reply to its create was lost (H01). */
export function findContender(children: readonly string[], prefix: string): string | undefined {
  return children.find((name) => name.startsWith(prefix) && sequenceOf(name) !== undefined);
}

/** The sequence number of a contender's name, or undefined if the child is not a contender. */
export function sequenceOf(name: string): number | undefined {
  const start = startOfNumber(name);
  return start === undefined ? undefined : Number(name.slice(start));
}

/** How the contender of this name wants the lock. Those of unknown kinds count as exclusive. */
export function modeOf(name: string): LockMode {
  const start = startOfNumber(name);
  if (start === undefined) return 'exclusive';
  return MODE_OF_MARKER.find(([marker]) => name.endsWith(marker, start))?.[1] ?? 'exclusive';
}

/** True if the number cannot have repeated. */
export function isTrusted(sequence: number): boolean {
  return sequence >= 0 && sequence < FIRST_UNTRUSTED_SEQUENCE;
}

function wordOf(mode: LockMode, failure: LockFailure): string {
  if (failure === 'closed') return CLOSING;
  return mode === 'write' ? FIXED : '';
}

/** Where the number in a contender's name starts; undefined for other names. */
function startOfNumber(name: string): number | undefined {
  let start = name.length;
  while (start > 0 && isDigit(name.charCodeAt(start - 1))) start -= 1;
  if (start === name.length) return undefined;
  if (hasMarkerBefore(name, start)) return start;
  return name[start - 1] === '-' && hasMarkerBefore(name, start - 1) ? start - 1 : undefined;
}

function hasMarkerBefore(name: string, end: number): boolean {
  return MARKERS.some((marker) => name.endsWith(marker, end));
}

function isDigit(code: number): boolean {
  return code >= ZERO && code <= NINE;
}
