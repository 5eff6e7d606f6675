import type { Fault as ProxyFault } from '../../../test/support/fault-proxy.js';
import type { NetworkFault } from '../schedule/fault.js';
import type { ProcessSlot } from '../cluster/process-slot.js';
import type { FaultOutcome } from './fault-log.js';
import type { Sleep } from './sleep.js';

/** Injects a fault into all connections of one process to the servers. */
export async function injectNetworkFault(
  fault: NetworkFault,
  slot: ProcessSlot,
  sleep: Sleep,
): Promise<FaultOutcome> {
  const { proxies } = slot;
  const targets = [slot.name];
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

/** Waits until one of the faults strikes, and cancels the others. */
async function strike(
  faults: readonly ProxyFault[],
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
