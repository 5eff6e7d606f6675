import { createParamDecorator, type ExecutionContext } from '@nestjs/common';
import { requestToken } from './request-token.js';

/**
 * Passes the fencing token of the request to a parameter of an HTTP handler, as a `bigint`. Without the header, the answer is
 * 428 Precondition Required; with an invalid one, 400.
 *
 * @throws LockConfigurationError in a call that is no HTTP request
 * @publicApi
 * @example
 * @Put(':id/balance')
 * setBalance(@Param('id') id: string, @FencingToken() fencingToken: bigint, @Body() { balance }: Account) {
 *   return this.accounts.setBalance(id, balance, { resource: `account:${id}`, fencingToken });
 * }
 */
export const FencingToken: () => ParameterDecorator = createParamDecorator(
  (_: unknown, context: ExecutionContext) => requestToken(context),
);
