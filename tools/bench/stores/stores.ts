import { DistantStore } from './distant-store.js';
import { findPostgres, PostgresStore } from './postgres-store.js';
import { findRedis, RedisStore } from './redis-store.js';
import type { Store } from './store.interface.js';
import { SpreadStore } from './spread-store.js';
import { ZooKeeperStore, type ZooKeeperSetup } from './zookeeper-store.js';

/** `ensembles`: two of them. */
export type StoreKind = 'zookeeper' | 'ensembles' | 'redis' | 'postgres';

/** The stores of one part of a run. Redis and Postgres wait for the disk if ZooKeeper does, and are as far away. */
export async function startStores(
  setup: ZooKeeperSetup,
  kinds: ReadonlySet<StoreKind>,
): Promise<{ readonly stores: ReadonlyMap<StoreKind, Store> } & AsyncDisposable> {
  const fsync = setup === 'fsync';
  const starts: Record<StoreKind, () => Promise<Store>> = {
    zookeeper: () => ZooKeeperStore.start(setup),
    ensembles: () => SpreadStore.start(setup),
    redis: () => RedisStore.start(findRedis()!, { fsync }),
    postgres: () => PostgresStore.start(findPostgres()!, { fsync }),
  };
  const stores = new Map<StoreKind, Store>();
  const stop = async (): Promise<void> => {
    await Promise.all([...stores.values()].map((store) => store[Symbol.asyncDispose]()));
  };
  try {
    for (const kind of kinds) {
      const store = await starts[kind]();
      stores.set(kind, store);
      if (setup === 'distant') stores.set(kind, await DistantStore.start(store));
    }
  } catch (error) {
    await stop();
    throw error;
  }
  return { stores, [Symbol.asyncDispose]: stop };
}
