import type { LockAuth, LockModuleExtras, LockModuleOptions } from '../../../lib/index.js';
import type { ModulePlan } from '../schedule/module-plan.js';
import type { WorkerSettings } from './worker-protocol.js';

/** The two names of the path of the root, which module plans configure in several ways. */
export const PARENT = '/chaos';
export const LAST_NAME = 'locks';

const OPEN_RULE = { scheme: 'world', id: 'anyone', permissions: 31 };

/** The options of a process for `LockModule.forRoot`. */
export function moduleOptions({
  servers,
  sessionTimeout,
  module,
}: Pick<WorkerSettings, 'servers' | 'sessionTimeout' | 'module'>): LockModuleOptions & LockModuleExtras {
  const { place, credentials, acl, retryDelay, ...plan } = module;
  return {
    ...plan,
    ...rootOptions(servers, place),
    sessionTimeout,
    retryDelay: typeof retryDelay === 'string' ? DELAYS[retryDelay] : retryDelay,
    ...(credentials > 0 && { auth: Array.from({ length: credentials }, (_, i) => credential(i)) }),
    acl: acl === 'rule' ? [OPEN_RULE] : acl,
  };
}

function credential(i: number): LockAuth {
  return { ...(i === 0 ? {} : { scheme: 'digest' }), credential: `user${i}:password` };
}

/** The defaults of an acquisition, ms: those of the module, else those of the library. */
export function defaultsOf({ defaults, maxAttempts }: ModulePlan): { wait: number; ttl: number } {
  return { wait: maxAttempts === 1 ? 0 : (defaults.wait ?? Infinity), ttl: defaults.ttl ?? 0 };
}

const DELAYS = {
  rising: (attempt: number): number => Math.min(20 * attempt, 200),
  failing: (attempt: number): number => {
    if (attempt % 3 === 0) throw new Error('no delay today');
    return attempt % 3 === 1 ? NaN : 30;
  },
};

function rootOptions(servers: WorkerSettings['servers'], place: ModulePlan['place']): LockModuleOptions {
  const connectString = servers.map(({ host, port }) => `${host}:${port}`).join(',');
  const [only, ...others] = servers;
  switch (place) {
    case 'root':
      return { connectString, root: `${PARENT}/${LAST_NAME}` };
    case 'chroot':
      return { connectString: `${connectString}${PARENT}`, createChroot: true, root: `/${LAST_NAME}` };
    case 'resourceName':
      return {
        ...(others.length === 0 ? { host: only!.host, port: only!.port } : { connectString }),
        root: PARENT,
        resourceName: LAST_NAME,
      };
  }
}
