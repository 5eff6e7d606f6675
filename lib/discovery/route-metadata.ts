import 'reflect-metadata';
import type { RouteKind } from '../execution/locked-call.js';

/** Metadata keys of Nest 11 and 12, which have no common place to import them from. */
const PATH = 'path';
const SSE = '__sse__';

/** Undefined if the method is not the handler of an HTTP route. */
export function routeKindOf(method: object): RouteKind | undefined {
  if (!Reflect.hasMetadata(PATH, method)) return undefined;
  return Reflect.hasMetadata(SSE, method) ? 'events' : 'value';
}
