import { currentCaller, runForCaller } from '../locking/current-lock.js';
import { HttpCaller, type HttpResponse } from './http-caller.js';

/**
 * Lets everything that handles a request know its client: guards, interceptors, handlers, resolvers and the services
 * below them. Several lock modules of an application each put it into its way; the first one counts.
 */
export function httpCallers(_request: unknown, response: HttpResponse, next: () => void): void {
  const caller = currentCaller();
  if (caller instanceof HttpCaller && caller.isOf(response)) next();
  else runForCaller(new HttpCaller(response), next);
}
