import { createLockService, type LockService } from 'nestjs-locked';
import { EmbeddedZooKeeper } from 'nestjs-locked/testing';

/** Checked and not run: TypeScript's old resolution reads no `exports`, and has to find both entry points. */
export async function pay(order: string): Promise<bigint> {
  const zookeeper: EmbeddedZooKeeper = await EmbeddedZooKeeper.start();
  const locks: LockService = await createLockService({ connectString: zookeeper.connectString });
  return await locks.withLock(`order:${order}`, { ttl: 5_000 }, (held) => Promise.resolve(held.fencingToken));
}
