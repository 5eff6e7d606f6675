import { MetadataScanner, type ModuleRef } from '@nestjs/core';
import { LockConfigurationError } from '../locking/errors/lock-configuration.error.js';
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
 * The methods of all providers and controllers with metadata `M` under `key`. One object may be provided under several
 * tokens: its methods are found once. An alias is skipped by what it is, because its object may be in a Proxy of its own.
 */
export function annotatedMethods<M>(module: ModuleRef, key: symbol | string): AnnotatedMethod<M>[] {
  return methodsWith<M>(module, ([declared]) => metadataOf(declared, key));
}

/** The methods without such metadata that override one with it: the decorator has no effect on them. */
export function undecoratedOverrides<M>(module: ModuleRef, key: symbol | string): AnnotatedMethod<M>[] {
  return methodsWith<M>(module, ([declared, ...overridden]) => {
    if (metadataOf(declared, key) !== undefined) return undefined;
    return overridden.map((one) => metadataOf(one, key)).find((metadata) => metadata !== undefined);
  });
}

/** What a method lacks whose class is not a singleton. */
interface Lack {
  readonly decorator: string;
  readonly lack: string;
  readonly alternative?: string;
}

/** @throws LockConfigurationError if the class of the method is not a singleton */
export function assertSingleton(
  { name, scope }: AnnotatedMethod<unknown>,
  { decorator, lack, alternative }: Lack,
): void {
  if (scope === 'application') return;
  const madeFor = scope === 'request' ? 'request' : 'class that injects it';
  throw new LockConfigurationError(
    `${name} has ${decorator}, but its object is made for each ${madeFor}, so that ${lack}. Make the class a singleton that ` +
      `injects nothing request-scoped${alternative === undefined ? '' : `, ${alternative}`}`,
  );
}

/** Finds the metadata of a method in its declarations. */
type FindMetadata = (declarations: readonly Function[]) => unknown;

function methodsWith<M>(module: ModuleRef, find: FindMetadata): AnnotatedMethod<M>[] {
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
    const methods = methodsOf<M>(instance, find);
    if (methods.length === 0) return [];
    const isStatic = wrapper.isDependencyTreeStatic();
    const scope = wrapper.isTransient ? 'transient' : isStatic ? 'application' : 'request';
    return methods.map((method) => ({ ...method, instance, scope }));
  });
}

function methodsOf<M>(
  instance: object,
  find: FindMetadata,
): Pick<AnnotatedMethod<M>, 'name' | 'key' | 'metadata'>[] {
  const prototype = Object.getPrototypeOf(instance) as object;
  return new MetadataScanner().getAllMethodNames(prototype).flatMap((key) => {
    const metadata = find(declarationsOf(prototype, key)) as M | undefined;
    return metadata === undefined ? [] : [{ name: `${prototype.constructor.name}.${key}`, key, metadata }];
  });
}

/**
 * The declarations of a method, that of the class first, then those that it overrides. Not those of the instance: one that is a
 * Proxy may have other functions, without metadata.
 */
function declarationsOf(prototype: object, key: string): Function[] {
  const declarations: Function[] = [];
  for (let at: object | null = prototype; at !== null; at = Object.getPrototypeOf(at) as object | null) {
    // Not the value of a getter, whose code would run.
    const declared: unknown = Object.getOwnPropertyDescriptor(at, key)?.value;
    if (typeof declared === 'function') declarations.push(declared);
  }
  return declarations;
}

function metadataOf(declared: Function | undefined, key: symbol | string): unknown {
  return declared && (Reflect.getMetadata(key, declared) as unknown);
}
