import type { ConnectionManager } from './connection-manager.js';
import type { PackageClient, PackageInternals, ReplyPayload } from './package-internals.js';
import { readEmpty, readPayload } from './replies.js';

/** The package's `Client`, sending its requests through our connection manager. */
export function createFacade(internals: PackageInternals, manager: ConnectionManager): PackageClient {
  return internals.createClient({
    queue: (request, callback) => {
      manager.request<ReplyPayload | undefined>(request, readPayload(request.header.type) ?? readEmpty, {
        resolve: (payload) => callback(null, { header: { err: 0 }, payload }),
        reject: (error, err = 0) => callback({ error, getCode: () => err }, { header: { err } }),
      });
    },
    // The package registers a watcher with the reply. Ours are registered when the read leaves.
    registerDataWatcher: () => {},
    registerChildWatcher: () => {},
    registerExistenceWatcher: () => {},
  });
}
