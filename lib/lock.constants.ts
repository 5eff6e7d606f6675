import type { InjectionToken } from '@nestjs/common';
import { LockService } from './lock.service.js';

/** The options a `LockModule` was registered with. */
export const LOCK_MODULE_OPTIONS = Symbol('nestjs-locked:options');

/** The token of a `LockEnvironment`. Applications provide one only in tests. */
export const LOCK_ENVIRONMENT = Symbol('nestjs-locked:environment');

/**
 * Metadata key of a locked method, and of a class that `LockInterceptor` returned, for tests and tools. The value contains
 * `resource` and `options` as given.
 *
 * @publicApi
 */
export const LOCKED_METADATA = Symbol('nestjs-locked:locked');

/**
 * Metadata key of a method with `@Leader`, for tests and tools. The value contains `resource` and `service`.
 *
 * @publicApi
 */
export const LEADER_METADATA = Symbol('nestjs-locked:leader');

/** What `LEADER_METADATA` contains. */
export interface LeaderMetadata {
  readonly resource: string;
  readonly service: string | undefined;
}

/** Metadata key of a method with `@LockedCron`. */
export const LOCKED_CRON_METADATA = Symbol('nestjs-locked:locked-cron');

/** What `LOCKED_CRON_METADATA` contains. */
export interface LockedCronMetadata {
  readonly resource: string;
  /** The name of the cron job. */
  readonly job: string;
  readonly service: string | undefined;
  /** The injection token of the scheduler, of a package that is optional here. */
  readonly scheduler: InjectionToken;
  /** What the method has under each of `SCHEDULE_METADATA`. */
  readonly schedule: readonly unknown[];
}

/**
 * Metadata keys of a method with `@Cron`, `@Interval` or `@Timeout` of @nestjs/schedule, which does not export them: which of the
 * three it is, and the options of `@Cron`.
 */
export const SCHEDULE_METADATA = ['SCHEDULER_TYPE', 'SCHEDULE_CRON_OPTIONS'] as const;

/**
 * The injection token of a lock service: the class itself, or a string for a named one.
 *
 * @publicApi
 */
export function getLockServiceToken(name?: string): InjectionToken<LockService> {
  return name === undefined ? LockService : `LockService(${name})`;
}
