import { isServer, type Stage, type Strike, type Strikes } from './strike.js';

/** Faults in which hosts no longer reach others. */
export const PARTITIONS: Strikes<'isolate' | 'partition'> = {
  isolate: ({ host }, stage) => {
    const { names } = stage.world.ensembles;
    return cutOff(
      [host],
      names.filter((name) => name !== host),
      stage,
    );
  },
  partition: ({ hosts }, stage) => partition(hosts, stage),
};

/** The connections of a process are reset, and it reaches nobody for so long. */
export function sendAway(host: string, ms: number, stage: Stage): void {
  const { network, ensembles } = stage.world;
  for (const server of ensembles.names) network.sever(host, server);
  if (ms > 0) keepAway(host, ms, stage);
}

/** A process reaches nobody for so long. */
export function keepAway(host: string, ms: number, stage: Stage): void {
  const { scheduler } = stage.world;
  const { undo } = partition([host], stage);
  scheduler.schedule(scheduler.now + ms, () => undo?.());
}

/** These hosts reach each other, and no other. */
export function partition(hosts: readonly string[], stage: Stage): Strike {
  const all = [...stage.world.ensembles.names, ...stage.processes.keys()];
  return cutOff(
    hosts,
    all.filter((name) => !hosts.includes(name)),
    stage,
  );
}

/** The first hosts and the others do not reach each other. */
export function cutOff(
  hosts: readonly string[],
  others: readonly string[],
  { world: { network } }: Stage,
): Strike {
  const pairs = hosts.flatMap((host) => others.map((other) => [host, other] as const));
  const directions = pairs.flatMap(([a, b]) => [network.direction(a, b), network.direction(b, a)]);
  for (const direction of directions) direction.stall();
  return {
    on: hosts.some(isServer) ? 'links' : 'network',
    targets: hosts,
    undo: () => directions.forEach((direction) => direction.resume()),
  };
}
