import 'reflect-metadata';
import { Inject, Optional } from '@nestjs/common';
import { Cron, SchedulerRegistry } from '@nestjs/schedule';
import { assertParentheses } from '../decorators/decorated-method.js';
import { decoratedNamedMethod } from '../decorators/decorated-named-method.js';
import { injectLockService, injectedLockService } from '../decorators/injected-lock-service.js';
import { wrapMethod } from '../decorators/wrap-method.js';
import { LOCKED_CRON_METADATA, SCHEDULE_METADATA, type LockedCronMetadata } from '../lock.constants.js';
import type { LockService } from '../lock.service.js';
import { LockConfigurationError } from '../locking/errors/lock-configuration.error.js';
import { escapeControls } from '../locking/escape-controls.js';
import { assertResourceName } from '../locking/resource-name.js';
import type { ScheduledJob } from '../locking/schedule/scheduled-job.js';
import type { Tick } from '../locking/schedule/tick.interface.js';
import { twoSchedules } from '../discovery/scheduled-methods.js';
import { assertNoMoreArguments } from '../locking/extra-arguments.js';
import { resolveLockedCronOptions, type LockedCronOptions } from './locked-cron-options.js';
import { latestScheduledTime, type CronTime } from './scheduled-time.js';

/**
 * The decorator that `@LockedCron` returns.
 *
 * @publicApi
 */
export type LockedCronDecorator = <T extends (tick: Tick) => Promise<unknown>>(
  target: object & { readonly prototype?: never },
  propertyKey: string | symbol,
  descriptor: TypedPropertyDescriptor<T>,
) => void;

/** The property into which Nest injects the jobs of @nestjs/schedule. */
const REGISTRY = Symbol('SchedulerRegistry');

/**
 * Runs a method at every time of a cron expression, in one of all replicas. Applies `@Cron` of `@nestjs/schedule`, and
 * decides under the lock `name` whether a scheduled time is still to be run: whoever runs it stores it in ZooKeeper when it is
 * complete. It may thus start late, or by a clock that is wrong, and does not run a time that another replica has completed.
 *
 * - A run that is interrupted, because its process dies or loses the lock, is repeated by another replica: see `interrupted`.
 * - A run that throws is complete. Nest logs the error, and the job runs again at the next scheduled time.
 * - Runs do not pile up: of the scheduled times that pass while a replica runs or waits, only the latest runs afterwards.
 *   `tick.previous` is the last one that was completed.
 * - A direct call of the method runs the latest scheduled time, unless that is complete, and otherwise returns `undefined`.
 *   So does a call before the date, if `cronTime` is one.
 *
 * @param name of the job and its lock, in all replicas; no other method may have it
 * @param cronTime as for `@Cron`. Without `timeZone` or `utcOffset`, the replicas must have the same time zone
 * @param options those of `@Cron`, `interrupted`, `ttl` and `service`
 * @throws LockConfigurationError when the class is loaded, if the name or an option is invalid, or if the declaration is not
 *   an instance method with a string as its name, or the method has `@Cron`, `@Interval` or `@Timeout` too
 * @throws LockConfigurationError at application start, if another method has the same name, or the class is request-scoped or
 *   transient
 * @throws LockConfigurationError at the call, if the object was not created by Nest, if the job is not in the
 *   `SchedulerRegistry`, or if the method is called by its own run, which would wait for itself
 * @publicApi
 * @example
 * @LockedCron('nightly-report', '0 3 * * *', { timeZone: 'Europe/Paris' })
 * async report({ scheduledAt, previous, signal }: Tick) {
 *   await this.reports.write({ from: previous, to: scheduledAt, signal });
 * }
 */
export function LockedCron(
  name: string,
  cronTime: string | Date,
  options?: LockedCronOptions,
): LockedCronDecorator;
export function LockedCron(...given: unknown[]): LockedCronDecorator {
  assertParentheses('@LockedCron', given);
  const [resource, cronTime, options = {}, ...more] = given;
  assertNoMoreArguments('@LockedCron takes a name, a cron expression, and options', more);
  assertResourceName(resource);
  const { cron, service, ...runs } = resolveLockedCronOptions(options);
  const schedule = { ...cron, name: cron.name ?? resource };
  const metadata = { resource, job: schedule.name, service, scheduler: SchedulerRegistry };
  return (...place: unknown[]) => {
    const { target, propertyKey, descriptor, original, name } = decoratedNamedMethod('@LockedCron', place);
    const property = injectLockService(target, service);
    Inject(SchedulerRegistry)(target, REGISTRY);
    Optional()(target, REGISTRY);
    /** Several applications may run in one process. */
    const jobs = new WeakMap<LockService, ScheduledJob>();
    const jobOf = (locks: LockService): ScheduledJob => {
      const job = jobs.get(locks) ?? locks.scheduledJob(resource, { ...runs, purpose: name });
      jobs.set(locks, job);
      return job;
    };
    descriptor.value = wrapMethod(original, async (instance) => {
      const locks = injectedLockService(instance, property, `${name} is @LockedCron`);
      // The scheduler may have removed its jobs already.
      if (locks.isClosing) return undefined;
      // By the clock of cron, which is not that of the locks.
      const calledAt = Date.now();
      const scheduledAt = latestScheduledTime(await cronTimeOf(instance, schedule.name, name), calledAt);
      if (scheduledAt === undefined) return undefined;
      const work = (tick: Tick): unknown => Reflect.apply(original, instance, [tick]);
      return jobOf(locks).run({ scheduledAt, calledAt }, work);
    });
    const method = descriptor.value as object;
    if (Reflect.hasMetadata(LOCKED_CRON_METADATA, method)) throw scheduledTwice(name);
    if (SCHEDULE_METADATA.some((key) => Reflect.hasMetadata(key, method))) throw twoSchedules(name);
    Cron(cronTime as string, schedule)(target, propertyKey, descriptor);
    const found = SCHEDULE_METADATA.map((key): unknown => Reflect.getMetadata(key, method));
    Reflect.defineMetadata(
      LOCKED_CRON_METADATA,
      { ...metadata, schedule: found } satisfies LockedCronMetadata,
      method,
    );
  };
}

function scheduledTwice(method: string): LockConfigurationError {
  return new LockConfigurationError(
    `${method} has @LockedCron twice, and would run at the times of one of them only: write another method that calls it`,
  );
}

/** That of the running job: the application may have changed it. */
async function cronTimeOf(instance: object | undefined, job: string, method: string): Promise<CronTime> {
  const registry = instance && (Reflect.get(instance, REGISTRY) as SchedulerRegistry | undefined);
  const find = () => (registry?.doesExist('cron', job) ? registry.getCronJob(job).cronTime : undefined);
  // cron may call it while it starts the job, in the same turn before the registry has it.
  const cronTime = find() ?? (await Promise.resolve().then(find));
  if (cronTime !== undefined) return cronTime;
  throw new LockConfigurationError(
    `${method} is @LockedCron, but the application has no cron job '${escapeControls(job)}', so it has no scheduled time. ` +
      'Potential solutions: import ScheduleModule.forRoot(), without `cronJobs: false`; do not call the method before the ' +
      'application has started; or call a method without @LockedCron that does the work',
  );
}
