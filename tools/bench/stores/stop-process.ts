import { rm } from 'node:fs/promises';
import type { GuardedProcess } from '../../../test/support/child-process.js';
import { eventually } from '../../../test/support/eventually.js';

/** Asks a server to exit, waits for that, and removes its directory. Servers release shared memory only this way. */
export async function stopProcess(
  server: GuardedProcess,
  signal: NodeJS.Signals,
  directory: string,
): Promise<void> {
  server.signal(signal);
  await eventually(() => !server.running, { describe: 'a server to exit' }).catch(() => server.kill());
  await rm(directory, { recursive: true, force: true, maxRetries: 5 });
}
