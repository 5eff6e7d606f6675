import { createLockService, type LockService } from 'nestjs-locked';
import { EmbeddedZooKeeper } from 'nestjs-locked/testing';

/** Compiled but not run: TypeScript's old module resolution ignores `exports`, and must find both entry points. */
export async function pay(order: string): Promise<bigint> {
  const zookeeper: EmbeddedZooKeeper = await EmbeddedZooKeeper.start();
  const locks: LockService = await createLockService({ connectString: zookeeper.connectString });
  return await locks.withLock(`order:${order}`, { ttl: 5_000 }, (held) => Promise.resolve(held.fencingToken));
}
