import { EmbeddedZooKeeper } from 'nestjs-locked/testing';

/**
 * Starts a ZooKeeper in this process, unless a server listens on that port already: the first process on a machine runs
 * it, and the others share it. Suitable for trials only: it ends with its process.
 */
export async function startZooKeeperUnlessThere(host: string, port: number): Promise<void> {
  try {
    await EmbeddedZooKeeper.start({ host, port });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EADDRINUSE') throw error;
  }
}
