import type { ClientSettings, LockClient } from '../lock-client.interface.js';

/** The clients of the Node worker. Each worker loads only its own, so that no other one uses memory. */
export const CLIENTS = {
  ours: async (settings: ClientSettings) => (await import('./ours.js')).openOurs(settings),
  textbook: async (settings: ClientSettings) => (await import('./textbook.js')).openTextbook(settings),
  pairs: async (settings: ClientSettings) => (await import('./pairs.js')).openPairs(settings),
  redlock: async (settings: ClientSettings) => (await import('./redlock.js')).openRedlock(settings),
  postgres: async (settings: ClientSettings) => (await import('./postgres.js')).openPostgres(settings),
  none: async () => (await import('./none.js')).openNone(),
} satisfies Record<string, (settings: ClientSettings) => Promise<LockClient>>;

export type ClientName = keyof typeof CLIENTS;
