import { EmbeddedZooKeeper } from 'nestjs-locked/testing';

/**
 * Starts a ZooKeeper in this process, unless a server listens on that port already: the first process on a machine runs
 * it, and the others share it. Suitable for trials only: it ends with its process, which it does not keep running.
 */
export async function startZooKeeperUnlessThere(host: string, port: number): Promise<void> {
  try {
    const zookeeper = await EmbeddedZooKeeper.start({ host, port });
    zookeeper.unref();
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EADDRINUSE') throw error;
  }
}
