import { MetadataScanner, type ModuleRef } from '@nestjs/core';
import { applicationModules } from './application-modules.js';

/** A method with the metadata of a decorator, of an object in the application. */
export interface AnnotatedMethod<M> {
  /** `Class.method`. */
  readonly name: string;
  readonly key: string;
  readonly instance: object;
  /** What one object is made for: those of `request` and `transient` are only models, for which no constructor has run. */
  readonly scope: 'application' | 'request' | 'transient';
  readonly metadata: M;
}

/**
 * The methods of all providers and controllers with metadata `M` under `symbol`. One object may be provided under several
 * tokens: its methods are found once. An alias is skipped by what it is, because its object may be in a Proxy of its own.
 */
export function annotatedMethods<M>(module: ModuleRef, symbol: symbol): AnnotatedMethod<M>[] {
  const wrappers = applicationModules(module).flatMap(({ providers, controllers }) => [
    ...providers.values(),
    ...controllers.values(),
  ]);
  const scanned = new Set<unknown>();
  return wrappers.flatMap((wrapper) => {
    const instance: unknown = wrapper.instance;
    if (wrapper.isAlias || typeof instance !== 'object' || instance === null) return [];
    if (scanned.has(instance)) return [];
    scanned.add(instance);
    const methods = methodsOf<M>(instance, symbol);
    if (methods.length === 0) return [];
    const isStatic = wrapper.isDependencyTreeStatic();
    const scope = wrapper.isTransient ? 'transient' : isStatic ? 'application' : 'request';
    return methods.map((method) => ({ ...method, instance, scope }));
  });
}

function methodsOf<M>(
  instance: object,
  symbol: symbol,
): Pick<AnnotatedMethod<M>, 'name' | 'key' | 'metadata'>[] {
  const prototype = Object.getPrototypeOf(instance) as object;
  return new MetadataScanner().getAllMethodNames(prototype).flatMap((key) => {
    // Of the class: an instance that is a Proxy may have other functions, without metadata.
    const declared = Reflect.get(prototype, key) as Function;
    const metadata = Reflect.getMetadata(symbol, declared) as M | undefined;
    return metadata === undefined ? [] : [{ name: `${prototype.constructor.name}.${key}`, key, metadata }];
  });
}
