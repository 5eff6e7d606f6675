import 'reflect-metadata';
import { LEADER_METADATA, type LeaderMetadata } from '../lock.constants.js';
import { LockConfigurationError } from '../locking/errors/lock-configuration.error.js';
import { escapeControls } from '../locking/escape-controls.js';
import { assertNoMoreArguments } from '../locking/extra-arguments.js';
import type { LeaderOptions } from '../options/leader-options.js';
import { assertServiceOptions } from '../options/service-option.js';
import { assertResourceName } from '../locking/resource-name.js';
import type { Leading } from '../locking/leadership/leadership.interface.js';
import { assertParentheses } from './decorated-method.js';
import { decoratedNamedMethod } from './decorated-named-method.js';
import { injectLockService } from './injected-lock-service.js';

/**
 * The decorator that `@Leader` returns.
 *
 * @publicApi
 */
export type LeaderDecorator = <T extends (leading: Leading) => unknown>(
  target: object & { readonly prototype?: never },
  propertyKey: string | symbol,
  descriptor: TypedPropertyDescriptor<T>,
) => void;

/**
 * Runs a method of a provider or controller while this replica leads: of all replicas with the same `resource`, one at a
 * time. `LockModule` calls it after the start of the application, at the start of every leadership, with `leading`. It must
 * stop when `leading.signal` aborts: a replica that shuts down hands over only then. If it returns before, the replica
 * still leads. If it throws, the error is logged, and the replica queues again after a pause, which grows from 0.5 s to 30 s.
 *
 * `LockService.current()` returns the lock inside the method. The method may run before other `onApplicationBootstrap` hooks:
 * prepare what it needs in `onModuleInit`.
 *
 * @param resource the name of the lock that the leader holds
 * @throws LockConfigurationError when the class is loaded, if the name or an option is invalid, or if the declaration is not
 *   an instance method with a string as its name; at application start, if the class is request-scoped or transient, or if
 *   the lock service is not registered
 * @publicApi
 * @example
 * @Leader('mail-queue')
 * async send({ signal, fencingToken }: Leading) {
 *   while (!signal.aborted) await this.sendNext({ signal, fencingToken });
 * }
 */
export function Leader(resource: string, options?: LeaderOptions): LeaderDecorator;
export function Leader(...given: unknown[]): LeaderDecorator {
  assertParentheses('@Leader', given);
  const [resource, options = {}, ...more] = given;
  assertNoMoreArguments('@Leader takes a resource and options', more);
  assertResourceName(resource);
  assertServiceOptions('@Leader', options);
  const metadata: LeaderMetadata = { resource, service: options.service };
  return (...place: unknown[]) => {
    const { target, original, name } = decoratedNamedMethod('@Leader', place);
    if (Reflect.hasMetadata(LEADER_METADATA, original)) throw twoLeaders(name);
    // Not used, but Nest refuses to start without it. Otherwise nobody would notice that nobody leads.
    injectLockService(target, options.service);
    Reflect.defineMetadata(LEADER_METADATA, metadata, original);
  };
}

function twoLeaders(method: string): LockConfigurationError {
  return new LockConfigurationError(
    `${escapeControls(method)} is decorated with @Leader twice, and can lead for one resource only: write another method ` +
      'that calls it',
  );
}
