import { processOf } from '../../history/names.js';
import { attemptOfRecord } from './contender-faults.js';
import { kill, pause } from './host-faults.js';
import { partition } from './partitions.js';
import { loopOf, onHost, type Stage, type Strike, type Strikes } from './strike.js';

type HolderFault = 'cutOffHolder' | 'partitionHolder' | 'pauseHolder' | 'killHolder' | 'preemptNext';

/** Faults of the process that holds a resource, for whom others may wait, and of the one that is next. */
export const HOLDER_FAULTS: Strikes<HolderFault> = {
  cutOffHolder: ({ resource }, stage) => onHolder(resource, stage, (host) => partition([host], stage)),
  partitionHolder: ({ resource }, stage) =>
    onHolder(resource, stage, (host) =>
      partition([...new Set([host, ...stage.world.network.serversOf(host)])], stage),
    ),
  pauseHolder: ({ resource }, stage) => onHolder(resource, stage, (host) => pause(host, stage)),
  killHolder: ({ resource }, stage) => onHolder(resource, stage, (host) => kill(host, stage)),
  preemptNext: ({ resource, ms, reads }, stage) => {
    const { recorder } = stage.world;
    const next = nextOf(resource, stage);
    if (next === undefined || recorder.holderOf(resource) === undefined) return undefined;
    recorder.onceReleased(resource, () => loopOf(next, stage)?.stallWithin(ms, reads));
    return { ...onHost(next), kind: 'preempt' };
  },
};

/** The process of the second contender. */
function nextOf(resource: string, { operator }: Stage): string | undefined {
  const [, next] = operator.contenderRecords(resource);
  const attempt = next && attemptOfRecord(next, resource);
  return attempt && processOf(attempt);
}

function onHolder(
  resource: string,
  { world }: Stage,
  strike: (host: string) => Strike | undefined,
): Strike | undefined {
  const holder = world.recorder.holderOf(resource);
  return holder === undefined ? undefined : strike(processOf(holder));
}
