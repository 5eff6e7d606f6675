import {
  Inject,
  Injectable,
  mixin,
  type CallHandler,
  type ExecutionContext,
  type NestInterceptor,
  type Type,
} from '@nestjs/common';
import { defaultIfEmpty, type Observable } from 'rxjs';
import { resolveLockedOptions } from '../options/resolve-locked-options.js';
import { lockedObservable } from '../execution/locked-observable.js';
import type { LockedOptions } from '../options/locked-options.interface.js';
import { getLockServiceToken } from '../lock.constants.js';
import { LockService } from '../lock.service.js';
import { functionKey } from '../locking/resource-key.js';

/**
 * An interceptor that locks a handler, for names that need more than its arguments: headers, the user, the route. The lock
 * is held around the pipes, later interceptors and the handler. It works only where interceptors do: not for cron jobs,
 * events and direct calls, for which there is `@Locked`.
 *
 * @publicApi
 * @example
 * @UseInterceptors(
 *   LockInterceptor((context) => `tenant:${context.switchToHttp().getRequest<Request>().headers['x-tenant']}`, 5_000),
 * )
 * @Post('import')
 * import() {}
 */
export function LockInterceptor(
  key: (context: ExecutionContext) => string,
  options: number | LockedOptions = {},
): Type<NestInterceptor> {
  const { lockOptions, skipIfBusy, service, allowLiteral } = resolveLockedOptions('LockInterceptor', options);
  const resourceOf = functionKey(key, allowLiteral);

  @Injectable()
  class LockMixinInterceptor implements NestInterceptor {
    constructor(@Inject(getLockServiceToken(service)) private readonly locks: LockService) {}

    intercept(context: ExecutionContext, next: CallHandler): Observable<unknown> {
      const purpose = `${context.getClass().name}.${context.getHandler().name}`;
      const result$ = lockedObservable({
        name: purpose,
        locks: () => this.locks,
        resource: () => resourceOf([context]),
        options: { purpose, ...lockOptions },
        skipIfBusy,
        proceed: () => next.handle(),
      });
      // For Nest a handler that yields no value at all has failed; a skipped one yields undefined.
      return skipIfBusy ? result$.pipe(defaultIfEmpty(undefined)) : result$;
    }
  }
  return mixin(LockMixinInterceptor);
}
