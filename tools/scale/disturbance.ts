import type { ByteProxy } from './byte-proxy.js';
import type { Servers } from './servers.js';

export type Disturbance = 'none' | 'reset' | 'restart' | 'leader-kill' | 'rolling-restart';

export const DISTURBANCES: readonly Disturbance[] = [
  'none',
  'reset',
  'restart',
  'leader-kill',
  'rolling-restart',
];

export async function disturb(
  disturbance: Disturbance,
  servers: Servers,
  proxy: ByteProxy | undefined,
): Promise<void> {
  switch (disturbance) {
    case 'none':
      return;
    case 'reset':
      await proxy!.call('resetAll');
      return;
    case 'leader-kill':
      return (await servers.leader()).kill();
    case 'restart':
    case 'rolling-restart':
      // One at a time, so that an ensemble keeps its quorum.
      for (const server of servers.servers) await server.restart();
  }
}
