import { setTimeout as sleep } from 'node:timers/promises';
import type { LockClient } from '../lock-client.interface.js';

/** No lock, to prove that the checker finds overlapping holds. It pauses as long as a request takes. */
export function openNone(): LockClient {
  return {
    withLock: async (_key, work) => {
      await sleep(1);
      await work();
    },
  };
}
