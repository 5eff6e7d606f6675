/** Advice in errors about a function that was passed in the wrong place. */
export const USE_WITH_LOCK = 'To run a function under the lock, use withLock(name, options, work)';
