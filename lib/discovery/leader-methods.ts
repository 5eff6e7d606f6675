import type { OnApplicationBootstrap } from '@nestjs/common';
import type { ModuleRef } from '@nestjs/core';
import { LEADER_METADATA, type LeaderMetadata } from '../lock.constants.js';
import type { LockService } from '../lock.service.js';
import { LockConfigurationError } from '../locking/errors/lock-configuration.error.js';
import { escapeControls } from '../locking/escape-controls.js';
import type { Leading } from '../locking/leadership/leadership.interface.js';
import { stackOfError, textOfError } from '../locking/text-of-error.js';
import { safeLogger } from '../safe-logger.js';
import {
  annotatedMethods,
  assertSingleton,
  undecoratedOverrides,
  type AnnotatedMethod,
} from './annotated-methods.js';
import { applicationModules } from './application-modules.js';

type LeaderMethod = AnnotatedMethod<LeaderMetadata>;

const NO_OBJECT = {
  decorator: '@Leader',
  lack: 'there is none to lead',
  alternative: 'or use LockService.lead()',
};

/** The token of the provider that runs the methods with `@Leader`, one for each lock service of an application. */
export const LEADER_METHODS = Symbol('nestjs-locked:leader-methods');

/** Has no other properties, because those of a provider get printed, and the modules contain credentials. */
interface LeaderMethods extends OnApplicationBootstrap {
  /** The name of the lock service. */
  readonly service: string | undefined;
}

/** Runs the methods with `@Leader` of the lock service `name`, from the start of the application until the service closes. */
export function leaderMethods(
  module: ModuleRef,
  locks: LockService,
  name: string | undefined,
): LeaderMethods {
  return {
    service: name,
    /** @throws LockConfigurationError if a class with such a method is not a singleton, or its lock service is not registered */
    onApplicationBootstrap: () => {
      const methods = methodsOfApplication(module);
      assertRegistered(methods, servicesOf(module));
      warnOfOverrides(module, name);
      const ours = methods.filter(({ metadata }) => metadata.service === name);
      warnOfRivals(ours);
      for (const method of ours) void run(method, locks);
    },
  };
}

function warnOfOverrides(module: ModuleRef, service: string | undefined): void {
  for (const { name, metadata } of undecoratedOverrides<LeaderMetadata>(module, LEADER_METADATA)) {
    if (metadata.service !== service) continue;
    safeLogger('LockModule').warn(
      `${name} overrides a method with @Leader, and has none itself, so that it never leads. Decorate it too`,
    );
  }
}

/** Each is a candidate, and the first one of a replica leads until it steps down. */
function warnOfRivals(methods: readonly LeaderMethod[]): void {
  for (const [index, { name, metadata }] of methods.entries()) {
    const rival = methods.slice(0, index).find((other) => other.metadata.resource === metadata.resource);
    if (rival === undefined) continue;
    safeLogger('LockModule').warn(
      `${rival.name} and ${name} both have @Leader for '${escapeControls(metadata.resource)}', so that one waits for as long as the ` +
        'other leads. Give each a resource of its own, or provide the class once',
    );
  }
}

async function run({ name, key, instance, metadata }: LeaderMethod, locks: LockService): Promise<void> {
  const { resource } = metadata;
  const lead = (leading: Leading): unknown =>
    Reflect.apply(Reflect.get(instance, key) as Function, instance, [leading]);
  const logger = safeLogger('LockModule');
  const leader = `${name}, the leader of '${escapeControls(resource)}',`;
  const failed = (error: unknown): void =>
    logger.error(`${leader} has failed, and will queue again: ${textOfError(error)}`, stackOfError(error));
  try {
    await locks.campaign(resource, { purpose: name }, { lead, failed }).run();
  } catch (error) {
    logger.error(`${leader} can never lead: ${textOfError(error)}`, stackOfError(error));
  }
}

function methodsOfApplication(module: ModuleRef): LeaderMethod[] {
  const methods = annotatedMethods<LeaderMetadata>(module, LEADER_METADATA);
  for (const method of methods) assertSingleton(method, NO_OBJECT);
  return methods;
}

/** The names of the lock services of the application: every registration sees the methods of all of them. */
function servicesOf(module: ModuleRef): Set<string | undefined> {
  const runners = applicationModules(module).flatMap(({ providers }) => {
    const runner = providers.get(LEADER_METHODS)?.instance as LeaderMethods | null | undefined;
    return runner ?? [];
  });
  return new Set(runners.map(({ service }) => service));
}

/** @throws LockConfigurationError if there is a method that no registration would run */
function assertRegistered(methods: LeaderMethod[], services: Set<string | undefined>): void {
  const lost = methods.find(({ metadata }) => !services.has(metadata.service));
  if (lost === undefined) return;
  const registered = [...services].map(titleOf).join(' and ');
  throw new LockConfigurationError(
    `${lost.name} has @Leader for ${titleOf(lost.metadata.service)}, which is not registered in this application, so that nobody ` +
      `would lead. Registered: ${registered}. Select one of these with \`@Leader(resource, { service: 'name' })\`, or ` +
      'register the missing one with `LockModule.forRoot({ name })`',
  );
}

function titleOf(service: string | undefined): string {
  return service === undefined
    ? 'the lock service without a name'
    : `the lock service '${escapeControls(service)}'`;
}
