import { currentCaller, runForCaller } from '../locking/current-lock.js';
import { HttpCaller, type NodeResponse } from './http-caller.js';

/**
 * Makes the client of a request known to everything that handles the request: guards, interceptors, handlers, resolvers and
 * the services that they call. Every lock module of an application adds this middleware; only the first one takes effect.
 */
export function httpCallers(_request: unknown, response: NodeResponse, next: () => void): void {
  const caller = currentCaller();
  if (caller instanceof HttpCaller && caller.isOf(response)) next();
  else runForCaller(new HttpCaller(response), next);
}
