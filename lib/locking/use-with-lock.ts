/** For whoever passes a function where none is expected. */
export const USE_WITH_LOCK = 'To run a function under the lock, use withLock(name, options, work)';
