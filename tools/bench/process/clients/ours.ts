import { Logger } from '@nestjs/common';
import { createLockService, type LockOptions } from 'nestjs-locked';
import type { KindName } from '../../kinds.js';
import type { ClientSettings, LockClient } from '../lock-client.interface.js';

const LOCK_OPTIONS: Record<Exclude<KindName, 'several'>, LockOptions | undefined> = {
  exclusive: undefined,
  write: { mode: 'write' },
  read: { mode: 'read' },
  semaphore: { permits: 4 },
  simple: { fair: false },
  // Others of the same owner would take the lock over.
  closed: { failure: 'closed', owner: `bench-${process.pid}` },
};

export async function openOurs({
  address,
  root,
  sessionTimeout,
  options,
  kind,
}: ClientSettings): Promise<LockClient> {
  Logger.overrideLogger(['warn', 'error']);
  // Waits are long in some workloads: that is no reason to log.
  const locks = await createLockService({
    // One address, or one for each ensemble.
    connectString: address.split(';'),
    root,
    sessionTimeout,
    slowWaitWarning: 0,
    ...options,
  });
  if (kind === 'several') return { withLock: (key, work) => locks.withLock([key, `${key}-b`], work) };
  const terms = LOCK_OPTIONS[kind];
  return { withLock: (key, work) => locks.withLock(key, terms, work) };
}
