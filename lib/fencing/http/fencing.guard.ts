import {
  HttpException,
  Injectable,
  mixin,
  type CanActivate,
  type ExecutionContext,
  type Type,
} from '@nestjs/common';
import { lockErrorBody } from '../../filters/lock-exception.filter.js';
import { StaleFencingTokenError } from '../../locking/errors/stale-fencing-token.error.js';
import { LockConfigurationError } from '../../locking/errors/lock-configuration.error.js';
import { trueOrFalse } from '../../locking/option-checks.js';
import { validateOptions, withDefaults, type OptionTable } from '../../locking/option-table.js';
import { assertOptionsObject } from '../../locking/options-object.js';
import { functionKey } from '../../locking/resource-key.js';
import { assertResourceName } from '../../locking/resource-name.js';
import { safeLogger } from '../../safe-logger.js';
import type { FencedWrite } from '../fenced-write.js';
import { FencingTokenStore } from './fencing-token-store.js';
import { requestToken } from './request-token.js';

/**
 * Options of `FencingGuard`.
 *
 * @publicApi
 */
export interface FencingGuardOptions {
  /**
   * Accept a name that looks like a mistake: a result of `key` that contains `${...}` or has a segment `undefined`, `null`,
   * `NaN` or `[object X]`. Use it where the callers do so, too.
   *
   * @default false
   */
  readonly allowLiteral?: boolean | undefined;
}

const OPTIONS = {
  allowLiteral: { default: false, check: trueOrFalse },
} satisfies OptionTable<FencingGuardOptions>;

/**
 * Creates a guard for HTTP handlers that write to a resource which callers lock. It reads the header that `fencingHeaders()`
 * sends, and answers:
 * - 412 Precondition Failed if a later holder of the lock has sent a request before, in the body form of
 *   `LockExceptionFilter`; the rejection is logged as a warning;
 * - 428 Precondition Required without the header;
 * - 400 Bad Request if the header is invalid.
 *
 * It compares tokens when the request arrives. A handler whose own write may be delayed must compare once more in that write,
 * such as with `@FencingToken()` and `acceptFencingToken()`.
 *
 * Put guards for authentication before it: whoever may send a token can fence off all others with a large one. In calls that are
 * not HTTP requests it throws a `LockConfigurationError`. Needs a provider of `FencingTokenStore`.
 *
 * @param key computes the name of the lock from the `ExecutionContext`
 * @throws LockConfigurationError at once if `key` is not a synchronous function, or an option is invalid
 * @publicApi
 * @example
 * @UseGuards(AuthGuard, FencingGuard((context) => `printer:${context.switchToHttp().getRequest<Request>().params.id}`))
 * @Post('printers/:id/pages')
 * print() {}
 */
export function FencingGuard(
  key: (context: ExecutionContext) => string,
  options: FencingGuardOptions = {},
): Type<CanActivate> {
  const resourceOf = functionKey(key, allowsLiteral(options));
  const log = safeLogger('FencingGuard');

  @Injectable()
  class FencingMixinGuard implements CanActivate {
    constructor(private readonly tokens: FencingTokenStore) {}

    async canActivate(context: ExecutionContext): Promise<boolean> {
      const fencingToken = requestToken(context);
      const resource: unknown = resourceOf([context]);
      assertResourceName(resource);
      await this.accept({ resource, fencingToken });
      return true;
    }

    private async accept(write: FencedWrite): Promise<void> {
      try {
        await this.tokens.accept(write);
      } catch (error) {
        if (!(error instanceof StaleFencingTokenError)) throw error;
        log.warn(error.message);
        const body = lockErrorBody(error);
        // Not the error itself: where only this guard is used, no LockModule registers a filter for it.
        throw new HttpException(body, body.statusCode, { cause: error });
      }
    }
  }
  return mixin(FencingMixinGuard);
}

function allowsLiteral(given: FencingGuardOptions): boolean {
  assertOptionsObject(given, 'FencingGuard takes an object of options, such as { allowLiteral: true }');
  const problems = validateOptions('option', OPTIONS, given);
  if (problems.length > 0)
    throw new LockConfigurationError(problems.map((problem) => `FencingGuard: ${problem}`));
  return withDefaults(OPTIONS, given).allowLiteral;
}
