import {
  Inject,
  Injectable,
  mixin,
  type CallHandler,
  type ExecutionContext,
  type NestInterceptor,
  type Type,
} from '@nestjs/common';
import { map, type Observable } from 'rxjs';
import { answerKindOf } from '../discovery/answer-kind.js';
import { handlerOf, type RequestHandler } from '../discovery/handler-of.js';
import { heldHandler } from '../execution/held-handler.js';
import { LockedGenerator } from '../execution/locked-generator.js';
import { heldObservable, lockedObservable } from '../execution/locked-observable.js';
import { resultKindOf } from '../execution/method-result.js';
import { openedGenerator } from '../execution/unused-stream.js';
import { resolveLockedOptions } from '../options/locked-options.js';
import type { LockedCall } from '../execution/locked-call.js';
import type { LockedOptions } from '../options/locked-options.js';
import { LOCKED_METADATA, getLockServiceToken } from '../lock.constants.js';
import { LockService } from '../lock.service.js';
import { LockConfigurationError } from '../locking/errors/lock-configuration.error.js';
import type { HoldGuard } from '../locking/hold-guard.js';
import type { LockNames } from '../locking/lock-names.js';
import { functionKey } from '../locking/resource-key.js';
import { isGenerator } from '../locking/stream-result.js';
import { discardBody } from './discard-body.js';

/**
 * Creates an interceptor that locks a handler. Use it if the name depends on more than the arguments of the handler, such
 * as headers, the user or the route. The lock is held while the pipes, the later interceptors and the handler run, also if
 * an earlier interceptor stops waiting for them.
 * Interceptors do not run for cron jobs, events and direct calls: use `@Locked` there.
 *
 * @param key computes the name to lock, or several, from the `ExecutionContext`
 * @param options a `ttl` in ms, or an object of options, as for `@Locked`
 * @throws LockConfigurationError at once if an option is invalid
 * @publicApi
 * @example
 * @UseInterceptors(
 *   LockInterceptor((context) => `tenant:${context.switchToHttp().getRequest<Request>().headers['x-tenant']}`, 5_000),
 * )
 * @Post('import')
 * import() {}
 */
export function LockInterceptor(
  key: (context: ExecutionContext) => LockNames,
  options: number | LockedOptions = {},
): Type<NestInterceptor> {
  const { lockOptions, skipIfBusy, service, allowLiteral } = resolveLockedOptions('LockInterceptor', options);
  const resourceOf = functionKey(key, allowLiteral);

  @Injectable()
  class LockMixinInterceptor implements NestInterceptor {
    constructor(@Inject(getLockServiceToken(service)) private readonly locks: LockService) {
      // For the compiler, the result of `LockInterceptor` takes any arguments, or none.
      if ((locks as unknown) === undefined) throw withoutService(service);
    }

    intercept(context: ExecutionContext, next: CallHandler): Observable<unknown> {
      const handler = handlerOf(context);
      const purpose = `${handler.type.name}.${handler.name}`;
      const call: LockedCall = {
        name: purpose,
        locks: () => this.locks,
        resource: () => resourceOf([context]),
        options: { ...lockOptions, purpose: lockOptions.purpose ?? purpose },
        skipIfBusy,
        // Nest treats a handler that emits no value as failed.
        answer: () => answerKindOf(handler) ?? 'value',
        discard: discardBody,
        proceed: () => next.handle(),
      };
      return lockedObservable(call, (guard, source) => {
        const handle = () => withLockedGenerators(guard, source());
        return returnsStream(handler)
          ? heldObservable(guard, handle)
          : heldHandler(guard, handle, call.discard);
      });
    }
  }
  Reflect.defineMetadata(LOCKED_METADATA, { resource: key, options }, LockMixinInterceptor);
  return mixin(LockMixinInterceptor);
}

function withoutService(service: string | undefined): LockConfigurationError {
  const token = service === undefined ? 'LockService' : `getLockServiceToken('${service}')`;
  return new LockConfigurationError(
    `A LockInterceptor created with \`new\` needs the lock service: new (LockInterceptor(key))(app.get(${token})). ` +
      'Or let Nest create it: { provide: APP_INTERCEPTOR, useClass: LockInterceptor(key) }',
  );
}

/** A generator, such as a streamed body or the events of a GraphQL subscription, keeps the lock until it ends. */
function withLockedGenerators(guard: HoldGuard, answer$: Observable<unknown>): Observable<unknown> {
  return answer$.pipe(
    map((value) =>
      isGenerator(value) ? LockedGenerator.opened(openedGenerator(guard.handOver(), value)) : value,
    ),
  );
}

/**
 * A handler that returns a Promise continues after an unsubscription, and keeps the lock meanwhile. One without an annotated
 * type that sends events is taken for one that returns an Observable: many never emit anything while nothing happens.
 */
function returnsStream(handler: RequestHandler): boolean {
  const { type, name, method } = handler;
  const returnType: unknown = Reflect.getMetadata('design:returntype', type.prototype as object, name);
  const kind = resultKindOf(method, returnType);
  return kind === 'observable' || (kind !== 'promise' && answerKindOf(handler) === 'events');
}
