import { Logger } from '@nestjs/common';
import { createLockService } from 'nestjs-locked';
import type { ClientSettings, LockClient } from '../lock-client.interface.js';

export async function openOurs({
  address,
  root,
  sessionTimeout,
  options,
}: ClientSettings): Promise<LockClient> {
  Logger.overrideLogger(['warn', 'error']);
  // Waits are long in some workloads: that is no reason to log.
  const locks = await createLockService({
    connectString: address,
    root,
    sessionTimeout,
    slowWaitWarning: 0,
    ...options,
  });
  return { withLock: (key, work) => locks.withLock(key, work) };
}
