import { BadRequestException, HttpException, HttpStatus, type ExecutionContext } from '@nestjs/common';
import { describeValue } from '../../locking/describe-value.js';
import { LockConfigurationError } from '../../locking/errors/lock-configuration.error.js';
import { parseToken, TOKEN_FORM } from '../fenced-write.js';
import { FENCING_TOKEN_HEADER } from './fencing-headers.js';

type Headers = Readonly<Record<string, string | string[] | undefined>>;

/**
 * The token in the header of the current request.
 *
 * @throws HttpException 428 without the header, 400 if it is invalid
 * @throws LockConfigurationError in a call that is no HTTP request
 */
export function requestToken(context: ExecutionContext): bigint {
  const headers = headersOf(context);
  if (headers === undefined) throw withoutHeaders(context);
  const text = headers[FENCING_TOKEN_HEADER.toLowerCase()];
  if (text === undefined) throw withoutHeader();
  const token = typeof text === 'string' ? parseToken(text) : undefined;
  if (token !== undefined) return token;
  throw new BadRequestException(
    `The header ${FENCING_TOKEN_HEADER} must be ${TOKEN_FORM}: got ${describeValue(text)}`,
  );
}

function headersOf(context: ExecutionContext): Headers | undefined {
  // Nest reports the type `http` for every context whose library sets no other type.
  if (context.getType<string>() !== 'http') return undefined;
  return context.switchToHttp().getRequest<{ readonly headers?: Headers } | undefined>()?.headers;
}

function withoutHeaders(context: ExecutionContext): LockConfigurationError {
  return new LockConfigurationError(
    `${context.getClass().name}.${context.getHandler().name} needs the HTTP header ${FENCING_TOKEN_HEADER}, but was called by ` +
      `no HTTP request (context '${context.getType<string>()}'). Pass the token in the arguments of the call`,
  );
}

function withoutHeader(): HttpException {
  const statusCode = HttpStatus.PRECONDITION_REQUIRED;
  const message = `The header ${FENCING_TOKEN_HEADER} is required: send the fencing token of the lock that the write needs, ${TOKEN_FORM}`;
  return new HttpException({ message, error: 'Precondition Required', statusCode }, statusCode);
}
