import { EmbeddedZooKeeper } from 'nestjs-locked/testing';

/**
 * Starts a ZooKeeper in this process, unless something listens on that port already: the first process of a machine has
 * it, and the others share it. Good enough to try things out, and gone with its process.
 */
export async function startZooKeeperUnlessThere(host: string, port: number): Promise<void> {
  try {
    await EmbeddedZooKeeper.start({ host, port });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EADDRINUSE') throw error;
  }
}
