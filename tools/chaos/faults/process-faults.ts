import type { Endpoint } from '../../../test/support/raw-connection.js';
import type { KnownSession } from '../../../test/support/raw-records.js';
import { RawSession } from '../../../test/support/raw-session.js';
import type { ProcessFault } from '../schedule/fault.js';
import type { ProcessSlot } from '../cluster/process-slot.js';
import type { FaultOutcome } from './fault-log.js';
import type { Sleep } from './sleep.js';

/** A server that has not answered by then is considered down. */
const CONNECT_MS = 3_000;

/** Injects a fault into one process, or ends its session from a duplicate. */
export async function injectProcessFault(
  fault: ProcessFault,
  slot: ProcessSlot,
  servers: readonly Endpoint[],
  sleep: Sleep,
): Promise<FaultOutcome> {
  const targets = [slot.name];
  if (!slot.running) return { targets, struck: false };
  switch (fault.kind) {
    case 'sessionExpiry':
      return { targets, struck: await expire(slot.credentials, servers) };
    case 'stop':
      slot.signal('SIGSTOP');
      await sleep(fault.ms);
      slot.signal('SIGCONT');
      return { targets };
    case 'block':
      slot.send({ type: 'block', ms: fault.ms });
      await sleep(fault.ms);
      return { targets };
    case 'kill':
      await killAndReplace(slot, fault.ms, sleep);
      return { targets };
    case 'shutdown':
      await slot.close('shutDown');
      await sleep(fault.ms);
      await slot.start();
      return { targets };
  }
}

export async function killAndReplace(slot: ProcessSlot, ms: number, sleep: Sleep): Promise<void> {
  await slot.kill();
  await sleep(ms);
  await slot.start();
}

/**
 * Opens a duplicate of the session and closes it. True if the session may have ended: one server is enough to end it, and
 * its reply may be lost.
 */
async function expire(session: KnownSession | undefined, servers: readonly Endpoint[]): Promise<boolean> {
  if (session === undefined) return false;
  let opened = false;
  const closings = servers.map(async (server) => {
    const duplicate = await RawSession.connect(server, { session, timeoutMs: CONNECT_MS });
    opened = true;
    await duplicate.closeSession().finally(() => duplicate.destroy());
  });
  await Promise.any(closings).catch(() => {});
  return opened;
}
