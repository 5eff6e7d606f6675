import { Redis } from 'ioredis';
import Redlock from 'redlock';
import type { ClientSettings, LockClient } from '../lock-client.interface.js';

/** Redlock on one server, with its default settings, except that it does not give up. It waits by asking again and again. */
export async function openRedlock({ address, root, sessionTimeout }: ClientSettings): Promise<LockClient> {
  const client = new Redis(address);
  await client.ping();
  const redlock = new Redlock([client], { retryCount: -1 });
  // It reports every attempt that found the key locked.
  redlock.on('error', () => {});
  return {
    withLock: (key, work) => redlock.using([`${root}/${key}`], sessionTimeout, async () => work()),
  };
}
