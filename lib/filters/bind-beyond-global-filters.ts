import { MetadataScanner, type ModulesContainer } from '@nestjs/core';
import { types } from 'node:util';
import { providerTypes } from '../discovery/application-modules.js';
import { FILTERS, GATEWAY, INTERCEPTORS, bindFirst } from '../discovery/enhancer-metadata.js';
import { LOCKED_METADATA } from '../lock.constants.js';
import { safeLogger } from '../safe-logger.js';
import { LockExceptionFilter } from './lock-exception.filter.js';
import { MASKED_SUBSCRIPTION, maskedField } from './masked-graphql.js';

/** Metadata keys that @nestjs/graphql sets. */
const RESOLVER_TYPE = 'graphql:resolver_type';
const FIELD = 'graphql:resolve_property';
const FIELD_MIDDLEWARE = 'graphql:field_resolver_middleware';

/** A filter without an HTTP adapter: gateways need none, and a gateway class may belong to several applications. */
const GATEWAY_FILTER = new LockExceptionFilter();

/**
 * Binds the default filter where Nest applies no global filters: to gateways, to the events of GraphQL subscriptions
 * and to GraphQL fields. Nest reads this metadata later, after all providers have been created.
 */
export function bindBeyondGlobalFilters(modules: ModulesContainer): void {
  const providers = providerTypes(modules);
  if (providers === undefined) {
    safeLogger(LockExceptionFilter.name).warn(
      'The default filter does not apply to gateways, nor to subscriptions and fields of GraphQL, because the ' +
        '`instanceDecorator` of this application wraps ModulesContainer in a Proxy. Return ModulesContainer ' +
        'unchanged, or add @UseFilters(LockExceptionFilter) to them',
    );
    return;
  }
  for (const type of providers) {
    if (Reflect.hasMetadata(GATEWAY, type)) bindFirst(FILTERS, GATEWAY_FILTER, type);
    if (Reflect.hasMetadata(RESOLVER_TYPE, type)) methodsOf(type).forEach(bindToResolver);
  }
}

function bindToResolver(method: object): void {
  if (Reflect.getMetadata(RESOLVER_TYPE, method) === 'Subscription')
    bindFirst(INTERCEPTORS, MASKED_SUBSCRIPTION, method);
  // Synchronous fields cannot use locks, and a middleware would slow down every item of a list.
  const usesLocks = types.isAsyncFunction(method) || Reflect.hasMetadata(LOCKED_METADATA, method);
  if (Reflect.hasMetadata(FIELD, method) && usesLocks) bindFirst(FIELD_MIDDLEWARE, maskedField, method);
}

function methodsOf({ prototype }: { prototype?: object }): object[] {
  if (prototype === undefined) return [];
  return new MetadataScanner()
    .getAllMethodNames(prototype)
    .map((name) => Reflect.get(prototype, name) as object);
}
