import type { InjectionToken, OnModuleInit } from '@nestjs/common';
import type { ModuleRef } from '@nestjs/core';
import { LOCKED_CRON_METADATA, SCHEDULE_METADATA, type LockedCronMetadata } from '../lock.constants.js';
import { LockConfigurationError } from '../locking/errors/lock-configuration.error.js';
import { escapeControls } from '../locking/escape-controls.js';
import { safeLogger } from '../safe-logger.js';
import {
  annotatedMethods,
  assertSingleton,
  undecoratedOverrides,
  type AnnotatedMethod,
} from './annotated-methods.js';
import { applicationModules } from './application-modules.js';

type ScheduledMethod = AnnotatedMethod<LockedCronMetadata>;

const NO_OBJECT = { decorator: '@LockedCron', lack: 'there is none for the job' };

/** The token of the provider that checks the methods with `@LockedCron`, one for each lock service of an application. */
export const SCHEDULED_METHODS = Symbol('nestjs-locked:scheduled-methods');

/**
 * Checks the methods with `@LockedCron` of the lock service `name` at the start of the application, for those that
 * would never run.
 */
export function scheduledMethods(module: ModuleRef, name: string | undefined): OnModuleInit {
  return {
    /** @throws LockConfigurationError if two methods have the same name, if one has another schedule too, or if a class is not a singleton */
    onModuleInit: () => {
      const methods = annotatedMethods<LockedCronMetadata>(module, LOCKED_CRON_METADATA);
      const schedules = SCHEDULE_METADATA.map((key) => annotatedMethods<unknown>(module, key));
      for (const method of methods) {
        if (method.metadata.service !== name) continue;
        assertSingleton(method, NO_OBJECT);
        const other = methods.find((one) => one !== method && isSameJob(one, method));
        if (other !== undefined) throw sameName(method, other);
        if (schedules.some((ofKey, index) => ofKey.some((one) => isReplacedBy(one, method, index))))
          throw twoSchedules(method.name);
        if (!isProvided(method.metadata.scheduler, module)) warnOfNoScheduler(method);
      }
      const overrides = undecoratedOverrides<LockedCronMetadata>(module, LOCKED_CRON_METADATA);
      for (const method of overrides) if (method.metadata.service === name) warnOfOverride(method);
    },
  };
}

/** The scheduler has one job of each name. Two jobs with one lock would take each other's runs for their own. */
function isSameJob({ metadata: a }: ScheduledMethod, { metadata: b }: ScheduledMethod): boolean {
  return a.job === b.job || (a.resource === b.resource && a.service === b.service);
}

/** A decorator above `@LockedCron` has set another schedule. */
function isReplacedBy(
  other: AnnotatedMethod<unknown>,
  { instance, key, metadata }: ScheduledMethod,
  index: number,
): boolean {
  return other.instance === instance && other.key === key && other.metadata !== metadata.schedule[index];
}

export function twoSchedules(method: string): LockConfigurationError {
  return new LockConfigurationError(
    `${method} has both @LockedCron and @Cron, @Interval or @Timeout, one of which would replace the schedule of the other. ` +
      'Remove that one: @LockedCron takes the options of @Cron',
  );
}

function isProvided(token: InjectionToken, module: ModuleRef): boolean {
  return applicationModules(module).some(({ providers }) => providers.has(token));
}

function sameName(a: ScheduledMethod, b: ScheduledMethod): LockConfigurationError {
  const { resource, job } = a.metadata;
  const name = resource === b.metadata.resource ? resource : job;
  return new LockConfigurationError(
    `${a.name} and ${b.name} both have @LockedCron with the name '${escapeControls(name)}', so that one of them would never run: ` +
      'it is the name of the job and of its lock. Give each job a name of its own',
  );
}

function warnOfOverride({ name }: ScheduledMethod): void {
  safeLogger('LockModule').warn(
    `${name} overrides a method with @LockedCron, and has none itself, so that it never runs. Decorate it too`,
  );
}

function warnOfNoScheduler({ name }: ScheduledMethod): void {
  safeLogger('LockModule').warn(
    `${name} has @LockedCron and will never run, because the application does not import ScheduleModule.forRoot() of @nestjs/schedule`,
  );
}
