import { MetadataScanner, type ModuleRef } from '@nestjs/core';
import { types } from 'node:util';
import { providerTypes } from '../discovery/application-modules.js';
import { FILTERS, GATEWAY, INTERCEPTORS, RESOLVER_TYPE, bindFirst } from '../discovery/enhancer-metadata.js';
import type { Method } from '../decorators/wrap-method.js';
import { LOCKED_METADATA } from '../lock.constants.js';
import { FILTER_WITHOUT_ADAPTER } from './lock-exception.filter.js';
import { MASKED_SUBSCRIPTION, maskedField, maskedReference } from './masked-graphql.js';

/** Metadata keys that @nestjs/graphql sets. */
const FIELD = 'graphql:resolve_property';
const REFERENCE = 'graphql:resolve_reference';
const FIELD_MIDDLEWARE = 'graphql:field_resolver_middleware';

/**
 * Binds the default filter where Nest applies no global filters: to gateways, to the events of GraphQL subscriptions
 * and to GraphQL fields and references. Nest reads this metadata later, after all providers have been created.
 */
export function bindBeyondGlobalFilters(module: ModuleRef): void {
  for (const type of providerTypes(module)) {
    if (Reflect.hasMetadata(GATEWAY, type)) bindFirst(FILTERS, FILTER_WITHOUT_ADAPTER, type);
    // Nest looks for resolvers in all providers, also in classes without @Resolver().
    for (const [prototype, name] of methodsOf(type)) bindToResolver(type, prototype, name);
  }
}

function bindToResolver(type: object, prototype: object, name: string): void {
  const method = Reflect.get(prototype, name) as Method;
  // Outside the interceptors of the class, one of which may hold the lock.
  if (Reflect.getMetadata(RESOLVER_TYPE, method) === 'Subscription')
    bindFirst(INTERCEPTORS, MASKED_SUBSCRIPTION, hasInterceptors(type) ? type : method);
  // Other fields are hardly ever locked, and a middleware would slow down every item of a list.
  const mayLock = types.isAsyncFunction(method) || Reflect.hasMetadata(LOCKED_METADATA, method);
  if (!mayLock && !isIntercepted(type) && !isIntercepted(method)) return;
  if (Reflect.hasMetadata(FIELD, method)) bindFirst(FIELD_MIDDLEWARE, maskedField, method);
  // Nest passes the arguments of a reference to the wrong parameters if it has a middleware.
  if (Reflect.hasMetadata(REFERENCE, method)) Reflect.set(prototype, name, maskedReference(method));
}

function hasInterceptors(target: object): boolean {
  return Reflect.hasMetadata(INTERCEPTORS, target);
}

/** By a `LockInterceptor`. */
function isIntercepted(target: object): boolean {
  const interceptors = (Reflect.getMetadata(INTERCEPTORS, target) ?? []) as readonly object[];
  return interceptors.some((one) =>
    Reflect.hasMetadata(LOCKED_METADATA, typeof one === 'function' ? one : one.constructor),
  );
}

function methodsOf({ prototype }: { prototype?: object }): [object, string][] {
  if (prototype === undefined) return [];
  return new MetadataScanner().getAllMethodNames(prototype).map((name) => [prototype, name]);
}
