import type { Ensembles } from '../ensemble/ensembles.js';
import { loopOf, isServer, onHost, type Stage, type Strike, type Strikes } from './strike.js';

type HostFault =
  | 'pause'
  | 'block'
  | 'preempt'
  | 'wallStep'
  | 'kill'
  | 'close'
  | 'slowDisk'
  | 'throttle'
  | 'loseQuorum'
  | 'killLeader'
  | 'restartAll';

/** Faults of one host, or of all servers. */
export const HOST_FAULTS: Strikes<HostFault> = {
  pause: ({ host }, stage) => pause(host, stage),
  block: ({ host, ms }, stage) => {
    const loop = loopOf(host, stage);
    loop?.block(ms);
    return loop && onHost(host);
  },
  preempt: ({ host, ms, reads }, stage) => {
    const loop = loopOf(host, stage);
    loop?.stallWithin(ms, reads);
    return loop && onHost(host);
  },
  wallStep: ({ host, by }, stage) => {
    const loop = loopOf(host, stage);
    loop?.clock.stepWall(by);
    return loop && onHost(host);
  },
  kill: ({ host }, stage) => kill(host, stage),
  close: ({ host }, { processes }) => {
    const process = processes.get(host);
    if (process?.loop === undefined) return undefined;
    process.close('shutDown');
    return { ...onHost(host), undo: () => process.start() };
  },
  slowDisk: ({ host, by }, { world }) => ({
    ...onHost(host),
    undo: world.ensembles.of(host).slowDisk(host, by),
  }),
  throttle: ({ host, share }, { world }) => ({
    ...onHost(host),
    undo: world.ensembles.of(host).throttle(host, share),
  }),
  killLeader: ({ ofSecond = false }, stage) => {
    const leader = stage.world.ensembles.all[ofSecond ? 1 : 0]?.leader;
    return leader === undefined ? undefined : kill(leader, stage);
  },
  loseQuorum: ({ hosts }, { world: { ensembles } }) => restart(hosts, ensembles),
  restartAll: ({ keepsData }, { world: { ensembles } }) => {
    const strike = restart(ensembles.names, ensembles);
    for (const ensemble of ensembles.all) ensemble.grantUsualSessions();
    if (keepsData) return strike;
    for (const name of ensembles.names) ensembles.of(name).wipe(name);
    return { ...strike, kind: 'dataLoss' };
  },
};

function restart(targets: readonly string[], ensembles: Ensembles): Strike {
  for (const name of targets) ensembles.of(name).kill(name);
  return { on: 'servers', targets, undo: () => targets.forEach((name) => ensembles.of(name).start(name)) };
}

export function pause(host: string, stage: Stage): Strike | undefined {
  const loop = loopOf(host, stage);
  loop?.pause();
  return loop && { ...onHost(host), undo: () => loop.resume() };
}

export function kill(host: string, stage: Stage): Strike | undefined {
  if (loopOf(host, stage) === undefined) return undefined;
  const { ensembles } = stage.world;
  const process = stage.processes.get(host);
  if (isServer(host)) ensembles.of(host).kill(host);
  else process?.kill();
  return {
    ...onHost(host),
    undo: () => (isServer(host) ? ensembles.of(host).start(host) : process?.start()),
  };
}
