/** Kinds of locks that both this library and Curator have. */
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
  { name: 'several', curator: 'InterProcessMultiLock of 2', options: 'a list of 2', excludes: true },
] as const;

export type Kind = (typeof KINDS)[number];
export type KindName = Kind['name'];
