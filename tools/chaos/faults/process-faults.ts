import type { Endpoint } from '../../../test/support/raw-connection.js';
import type { KnownSession } from '../../../test/support/raw-records.js';
import { RawSession } from '../../../test/support/raw-session.js';
import type { ProcessFault } from '../schedule/fault.js';
import type { Seat } from '../cluster/process-slot.js';
import type { FaultOutcome } from './fault-log.js';
import type { Sleep } from './sleep.js';

/** A server that has not answered by then is down. */
const TWIN_MS = 3_000;

/** Disturbs one process, or ends its session behind its back. */
export async function disturbProcess(
  fault: ProcessFault,
  seat: Seat,
  servers: readonly Endpoint[],
  sleep: Sleep,
): Promise<FaultOutcome> {
  const targets = [seat.name];
  if (!seat.running) return { targets, struck: false };
  switch (fault.kind) {
    case 'sessionExpiry':
      return { targets, struck: await expire(seat.credentials, servers) };
    case 'stop':
      seat.signal('SIGSTOP');
      await sleep(fault.ms);
      seat.signal('SIGCONT');
      return { targets };
    case 'block':
      seat.send({ type: 'block', ms: fault.ms });
      await sleep(fault.ms);
      return { targets };
    case 'kill':
      await killAndReplace(seat, fault.ms, sleep);
      return { targets };
    case 'shutdown':
      await seat.close('shutDown');
      await sleep(fault.ms);
      await seat.live();
      return { targets };
  }
}

export async function killAndReplace(seat: Seat, ms: number, sleep: Sleep): Promise<void> {
  await seat.kill();
  await sleep(ms);
  await seat.live();
}

/** True if the session may have ended: one server is enough to end it, and its answer may be lost. */
async function expire(session: KnownSession | undefined, servers: readonly Endpoint[]): Promise<boolean> {
  if (session === undefined) return false;
  let taken = false;
  const endings = servers.map(async (server) => {
    const twin = await RawSession.connect(server, { session, timeoutMs: TWIN_MS });
    taken = true;
    await twin.closeSession().finally(() => twin.destroy());
  });
  await Promise.any(endings).catch(() => {});
  return taken;
}
