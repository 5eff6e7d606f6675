import type { LockModuleOptions } from 'nestjs-locked';
import type { CrowdCommands, CrowdSettings } from './process/crowd-commands.js';
import { RemoteProcess } from './process/remote-process.js';

export type Crowd = RemoteProcess<CrowdCommands>;

/** Starts a process with one lock service, which holds locks, waits for them and probes. */
export function startCrowd(options: LockModuleOptions, execArgv: readonly string[] = []): Promise<Crowd> {
  const settings: CrowdSettings = { options: { root: '/scale', drainTimeout: 0, ...options } };
  return RemoteProcess.start<CrowdCommands>('crowd', settings, execArgv);
}
