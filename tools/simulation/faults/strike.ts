import type { FaultPlace } from '../../history/fault-record.js';
import type { DirectAccess } from '../run/direct-access.js';
import type { Foreigners } from '../run/foreigners.js';
import type { Operator } from '../run/operator.js';
import type { SimulatedProcess } from '../run/simulated-process.js';
import type { World } from '../run/world.js';
import type { Fault, FaultKind } from '../scenario/fault.js';
import type { EventLoop } from '../world/event-loop.js';

/** What a fault has done: whom it has struck, and how it ends. */
export interface Strike {
  readonly on: FaultPlace;
  /** Where the checker has its own name for the fault. */
  readonly kind?: string;
  readonly targets: readonly string[];
  /** The attempt whose contender was deleted. */
  readonly attempt?: string;
  /** Of the first grant of that contender. */
  readonly token?: bigint;
  /** Of a lock without a queue, whose node was deleted. */
  readonly resource?: string;
  /** Whether it has had no effect, which shows only some time later. */
  readonly isRefused?: () => boolean;
  /** Of a fault that waits for its moment. Undefined if that has not come. */
  readonly hit?: () => Hit | undefined;
  /** Called at the end of the fault. */
  readonly undo?: () => void;
}

/** What a fault has done that had to wait for its moment. */
export interface Hit {
  readonly targets: readonly string[];
  /** ms */
  readonly from: number;
  /** ms */
  readonly to: number;
}

/** What faults strike. */
export interface Stage {
  readonly world: World;
  readonly processes: ReadonlyMap<string, SimulatedProcess>;
  readonly access: DirectAccess;
  readonly operator: Operator;
  readonly foreigners: Foreigners;
}

/** How each of these kinds of fault strikes. Undefined if it has found nothing to strike. */
export type Strikes<K extends FaultKind> = {
  readonly [P in K]: (fault: Extract<Fault, { kind: P }>, stage: Stage) => Strike | undefined;
};

export function onHost(host: string): Strike {
  return { on: isServer(host) ? 'servers' : 'process', targets: [host] };
}

export function isServer(host: string): boolean {
  return host.startsWith('s');
}

/** The thread of a host, while the host runs. */
export function loopOf(host: string, { world, processes }: Stage): EventLoop | undefined {
  return isServer(host) ? world.ensembles.of(host).loopOf(host) : processes.get(host)?.loop;
}
