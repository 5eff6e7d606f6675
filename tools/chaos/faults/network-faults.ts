import type { Fault as SetFault } from '../../../test/support/fault-proxy.js';
import type { NetworkFault } from '../schedule/fault.js';
import type { Seat } from '../cluster/process-slot.js';
import type { FaultOutcome } from './fault-log.js';
import type { Sleep } from './sleep.js';

/** Disturbs all ways of one process to the servers. */
export async function disturbNetwork(fault: NetworkFault, seat: Seat, sleep: Sleep): Promise<FaultOutcome> {
  const { proxies } = seat;
  const targets = [seat.name];
  switch (fault.kind) {
    case 'cut':
      for (const proxy of proxies) proxy.cutAll();
      return { targets };
    case 'reset':
      for (const proxy of proxies) proxy.resetAll();
      return { targets };
    case 'blackHole':
      for (const proxy of proxies) proxy.blackHole();
      await sleep(fault.ms);
      for (const proxy of proxies) proxy.heal();
      return { targets };
    case 'delay':
      for (const proxy of proxies) proxy.delay(fault.by);
      await sleep(fault.ms);
      for (const proxy of proxies) proxy.delay(0);
      return { targets, detail: `every frame by ${fault.by} ms` };
    case 'midPacketCut':
      return {
        targets,
        detail: `after ${fault.bytes} bytes of a reply`,
        ...(await strike(
          proxies.map((proxy) => proxy.cutReplyAfterBytes(fault.bytes)),
          fault.ms,
          sleep,
        )),
      };
    case 'frameFault':
      return {
        targets,
        detail: `${fault.action} of ${fault.operation} number ${fault.occurrence}`,
        ...(await strike(
          proxies.map((proxy) => proxy.once(fault.operation, fault.action, fault)),
          fault.ms,
          sleep,
        )),
      };
  }
}

/** Waits until one of the faults happens, and takes back the others. */
async function strike(
  faults: readonly SetFault[],
  ms: number,
  sleep: Sleep,
): Promise<Pick<FaultOutcome, 'struck' | 'from' | 'to'>> {
  try {
    const first = faults.map(({ fired }) => fired.then(() => process.hrtime.bigint()));
    const at = await Promise.race([...first, sleep(ms)]);
    return at === undefined ? { struck: false } : { from: at, to: at };
  } finally {
    for (const fault of faults) fault.cancel();
  }
}
