/** Kinds of locks, each with Curator's of the same kind, or the nearest one. */
export const KINDS = [
  { name: 'exclusive', curator: 'InterProcessMutex', options: '', excludes: true },
  {
    name: 'write',
    curator: 'InterProcessReadWriteLock.writeLock()',
    options: "mode: 'write'",
    excludes: true,
  },
  { name: 'read', curator: 'InterProcessReadWriteLock.readLock()', options: "mode: 'read'", excludes: false },
  { name: 'semaphore', curator: 'InterProcessSemaphoreV2, 4 leases', options: 'permits: 4', excludes: false },
  {
    name: 'simple',
    curator: 'InterProcessMutex, which is fair',
    options: 'fair: false',
    promise: 'fencing tokens; no order',
    excludes: true,
  },
  {
    name: 'closed',
    curator: 'InterProcessMutex, which fails open',
    options: "failure: 'closed'",
    promise:
      'fencing tokens; FIFO; after a failure of its holder nobody has the lock before its owner comes back',
    excludes: true,
  },
  { name: 'several', curator: 'InterProcessMultiLock of 2', options: 'a list of 2', excludes: true },
] as const;

export type Kind = (typeof KINDS)[number];
export type KindName = Kind['name'];
