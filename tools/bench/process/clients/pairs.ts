import { RawPairs } from '../raw-pairs.js';
import type { ClientSettings, LockClient } from '../lock-client.interface.js';

/** The reference: a create and a delete, which exclude nobody, through the client that our locks use. */
export async function openPairs({ address }: ClientSettings): Promise<LockClient> {
  const pairs = await RawPairs.connect(address);
  const prepared = new Set<string>();
  return {
    prepare: async (key) => {
      if (!prepared.has(key)) await pairs.prepare(key);
      prepared.add(key);
    },
    withLock: async (key, work) => {
      await pairs.pair(key);
      await work();
    },
  };
}
