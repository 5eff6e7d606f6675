import type { LockPathRequests } from '../../lib/zookeeper/recipe/permits.js';

/** Requests for one lock path to a scripted client. They are not repeated. */
export function requestsTo(client: object, resource: string): LockPathRequests {
  const requests = { session: { client }, persist: async <T>(request: () => Promise<T>) => request() };
  const path = { resource, lockPath: `/locks/${resource}`, requests, bounds: {} };
  return path as unknown as LockPathRequests;
}
