import type { LockModuleOptions } from 'nestjs-locked';
import type { CrowdCommands, CrowdSettings } from './process/crowd-commands.js';
import { RemoteProcess } from './process/remote-process.js';

export type Crowd = RemoteProcess<CrowdCommands>;

/**
 * Each caller has a node of its own: so the callers of one process burden the server as those of very many processes do.
 */
export const OWN_NODES = { localQueue: false } as const satisfies LockModuleOptions;

/** The command `heap` collects the garbage first. */
const NODE_OPTIONS = ['--expose-gc'];

/** Starts a process with one lock service, which holds locks, waits for them and probes. */
export function startCrowd(options: LockModuleOptions): Promise<Crowd> {
  const settings: CrowdSettings = { options: { root: '/scale', drainTimeout: 0, ...options } };
  return RemoteProcess.start<CrowdCommands>('crowd', settings, NODE_OPTIONS);
}
