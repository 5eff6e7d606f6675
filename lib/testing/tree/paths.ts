import { OperationError } from './operation-error.js';

/** Paths that belong to the server and cannot be deleted. */
const SPECIAL_PATHS = new Set(['/', '/zookeeper', '/zookeeper/quota', '/zookeeper/config']);

/** Refused in paths: control characters, surrogates, private use characters and specials. */
// oxlint-disable-next-line no-control-regex -- ZooKeeper refuses these characters
const FORBIDDEN = /[\u0000-\u001f\u007f-\u009f\ud800-\uf8ff\ufff0-\uffff]/;

/** An empty, `.` or `..` segment. */
const BAD_SEGMENT = /\/(\.{0,2})(?=\/|$)/;

export function isValidPath(path: string): boolean {
  if (path === '/') return true;
  return path.startsWith('/') && !FORBIDDEN.test(path) && !BAD_SEGMENT.test(path);
}

/** @throws OperationError BAD_ARGUMENTS */
export function validatePath(path: string): void {
  if (!isValidPath(path)) throw new OperationError('BAD_ARGUMENTS');
}

/**
 * The path without its last segment; '' for a child of the root.
 *
 * @throws OperationError BAD_ARGUMENTS if there is no slash or if there is a null character
 */
export function parentOf(path: string): string {
  const slash = path.lastIndexOf('/');
  if (slash < 0 || path.includes('\0')) throw new OperationError('BAD_ARGUMENTS');
  return path.slice(0, slash);
}

/** Like `parentOf`, for a node that is to be deleted. */
export function parentOfDeletable(path: string): string {
  if (SPECIAL_PATHS.has(path)) throw new OperationError('BAD_ARGUMENTS');
  return parentOf(path);
}

export function lastSegment(path: string): string {
  return path.slice(path.lastIndexOf('/') + 1);
}
