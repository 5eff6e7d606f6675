import { processOf } from '../../history/names.js';
import { kill, pause } from './host-faults.js';
import { partition } from './partitions.js';
import type { Stage, Strike, Strikes } from './strike.js';

type HolderFault = 'cutOffHolder' | 'partitionHolder' | 'pauseHolder' | 'killHolder';

/** Faults of the process that holds a resource, for whom others may wait. */
export const HOLDER_FAULTS: Strikes<HolderFault> = {
  cutOffHolder: ({ resource }, stage) => onHolder(resource, stage, (host) => partition([host], stage)),
  partitionHolder: ({ resource }, stage) =>
    onHolder(resource, stage, (host) =>
      partition([...new Set([host, ...stage.world.network.serversOf(host)])], stage),
    ),
  pauseHolder: ({ resource }, stage) => onHolder(resource, stage, (host) => pause(host, stage)),
  killHolder: ({ resource }, stage) => onHolder(resource, stage, (host) => kill(host, stage)),
};

function onHolder(
  resource: string,
  { world }: Stage,
  strike: (host: string) => Strike | undefined,
): Strike | undefined {
  const holder = world.recorder.holderOf(resource);
  return holder === undefined ? undefined : strike(processOf(holder));
}
