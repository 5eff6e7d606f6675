import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { isMainThread, parentPort, Worker, workerData } from 'node:worker_threads';
import { createLockService } from 'nestjs-locked';

// Takes the lock `order` in a worker thread. After a message from the parent process, ends the thread, and lives on.

if (isMainThread) {
  const worker = new Worker(fileURLToPath(import.meta.url), { workerData: process.argv[2] });
  process.once('disconnect', () => process.exit());
  await once(worker, 'message');
  process.send?.('held');
  await once(process, 'message');
  await worker.terminate();
  process.send?.('terminated');
} else {
  const locks = await createLockService(JSON.parse(workerData as string) as object);
  await locks.lock('order');
  // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a port between threads has no origin
  parentPort?.postMessage('held');
}
