import type { LockSnapshot } from '../../locking/lock-provider.interface.js';
import type { LockPathRequests } from './permits.js';
import { readMembers, readSimpleHolder } from './queue-members.js';

/** Reads the queue of a resource: its contenders in order of creation, with their owner records. */
export async function inspectQueue(path: LockPathRequests): Promise<LockSnapshot> {
  const { resource } = path;
  const queue = await readMembers(path);
  if (queue.holders.length === 0) {
    const holder = await readSimpleHolder(path);
    const holders = holder === undefined ? [] : [holder];
    return { resource, holder: holder ?? null, holders, waiters: [], permits: undefined };
  }
  const holders = queue.holders.map(({ member }) => member);
  const waiters = queue.waiters.map(({ member }) => member);
  return { resource, holder: holders[0] ?? null, holders, waiters, permits: queue.permits };
}
