import { Catch, HttpException, HttpStatus, type ArgumentsHost } from '@nestjs/common';
import { BaseExceptionFilter } from '@nestjs/core';
import { throwError, type Observable } from 'rxjs';
import { LockConfigurationError } from '../locking/errors/lock-configuration.error.js';
import { LockError, type LockErrorCode } from '../locking/errors/lock.error.js';
import { hasMethods } from '../locking/stream-result.js';
import { safeLogger } from '../safe-logger.js';
import { SHARED_WORK, SHARED_WORK_RETRY_MS, answerOfSharedWork, type HttpResponse } from './http-response.js';

/**
 * Body of the answer of `LockExceptionFilter`. It contains no names of resources, holders or servers.
 *
 * @publicApi
 */
export interface LockErrorBody {
  /** The HTTP status. */
  readonly statusCode: number;
  /** The `code` of the error. */
  readonly code: LockErrorCode;
  /** A general message for this code. */
  readonly message: string;
}

/** The status that nginx logs for a client that closed its connection. Nobody reads the response. */
const CLIENT_CLOSED_REQUEST = 499;

const STATUS: Record<LockErrorCode, number> = {
  LOCK_BUSY: HttpStatus.LOCKED,
  LOCK_TIMEOUT: HttpStatus.LOCKED,
  LOCK_CALLER_GONE: CLIENT_CLOSED_REQUEST,
  LOCK_UNAVAILABLE: HttpStatus.SERVICE_UNAVAILABLE,
  LOCK_CLOSED: HttpStatus.SERVICE_UNAVAILABLE,
  LOCK_LOST: HttpStatus.INTERNAL_SERVER_ERROR,
  LOCK_STALE_TOKEN: HttpStatus.PRECONDITION_FAILED,
  LOCK_DEADLOCK: HttpStatus.INTERNAL_SERVER_ERROR,
  LOCK_PERMITS: HttpStatus.INTERNAL_SERVER_ERROR,
  LOCK_FAIRNESS: HttpStatus.INTERNAL_SERVER_ERROR,
  LOCK_CONFIGURATION: HttpStatus.INTERNAL_SERVER_ERROR,
};

const MESSAGE: Record<LockErrorCode, string> = {
  LOCK_BUSY: 'The resource is locked. Try again later.',
  LOCK_TIMEOUT: 'Timed out waiting for the resource. Try again later.',
  LOCK_CALLER_GONE: 'The client closed the request.',
  LOCK_UNAVAILABLE: 'The lock service is not available. Try again later.',
  LOCK_CLOSED: 'The server is shutting down. Try again.',
  LOCK_LOST: 'The lock was lost during the request; its outcome is unknown.',
  LOCK_STALE_TOKEN: 'A later holder of the lock has written.',
  LOCK_DEADLOCK: 'Internal server error',
  LOCK_PERMITS: 'Internal server error',
  LOCK_FAIRNESS: 'Internal server error',
  LOCK_CONFIGURATION: 'Internal server error',
};

/** The body of the answer, and in it the status. */
export function lockErrorBody({ code }: LockError, statusCode = STATUS[code]): LockErrorBody {
  return { statusCode, code, message: MESSAGE[code] };
}

/** Transports in which every call has a client that receives its error. */
const REQUEST_TRANSPORTS: ReadonlySet<string> = new Set(['http', 'graphql', 'ws']);

/** The socket of a gateway: socket.io emits events, ws sends text. */
type GatewayClient = {
  readyState?: number;
  send?(data: string): void;
  emit?(event: string, data: unknown): void;
};

/**
 * Answers a `LockError` in the form of the transport: HTTP 412, 423, 499, 500 or 503, with `Retry-After` where a retry helps;
 * a GraphQL error with `extensions`; an RPC error; a WebSocket message `exception`. In other contexts, such as queues, it
 * throws the error again.
 *
 * Clients receive a general message. The message of the error is logged: at level `error` if the status is 5xx, otherwise
 * at level `debug`; outside of HTTP, GraphQL and WebSockets at level `warn`, because an event or a job has no client that
 * receives an answer.
 *
 * `LockModule` registers this filter; all filters of the application take precedence. To change the answers, extend it and
 * register the subclass with `APP_FILTER`, `@UseFilters` or
 * `app.useGlobalFilters(new ConflictFilter(app.getHttpAdapter()))`.
 *
 * @publicApi
 * @example
 * @Catch(LockError)
 * class ConflictFilter extends LockExceptionFilter {
 *   protected override statusOf(error: LockError): number {
 *     return error.code === 'LOCK_BUSY' ? 409 : super.statusOf(error);
 *   }
 * }
 */
@Catch(LockError)
export class LockExceptionFilter extends BaseExceptionFilter<LockError> {
  private static readonly log = safeLogger('LockExceptionFilter');

  /** Answers a lock error in the form of its transport. Called by Nest. */
  override catch(error: LockError, host: ArgumentsHost): void | Observable<never> {
    const transport = host.getType<string>();
    this.logFor(transport, error);
    switch (transport) {
      case 'http':
        return this.answerHttp(error, host);
      case 'graphql':
        throw this.graphQLErrorOf(error);
      case 'rpc':
        return throwError(() => this.bodyOf(error));
      case 'ws':
        return this.answerSocket(error, host);
      default:
        throw error;
    }
  }

  /** Returns the HTTP status for an error. Override it to answer with another one, for example 409 instead of 423. */
  protected statusOf(error: LockError): number {
    return STATUS[error.code];
  }

  /** Returns the body for an error. Override it to change what clients receive. */
  protected bodyOf(error: LockError): LockErrorBody {
    return lockErrorBody(error, this.statusOf(error));
  }

  /** Logs the error: clients receive only a general message, and Nest logs only the errors that it answers itself. */
  private logFor(transport: string, error: LockError): void {
    if (this.statusOf(error) >= 500) LockExceptionFilter.log.error(error);
    else if (REQUEST_TRANSPORTS.has(transport)) LockExceptionFilter.log.debug(error.message);
    else LockExceptionFilter.log.warn(error.message);
  }

  /**
   * GraphQL servers send the message and the `extensions` of the thrown error and, in development, its stack. A client that has left
   * reads no answer: one of shared work is for the others.
   */
  private graphQLErrorOf(error: LockError): Error {
    const isShared = error.code === 'LOCK_CALLER_GONE';
    const { message } = isShared ? SHARED_WORK : this.bodyOf(error);
    const extensions = { ...error.extensions, ...(isShared && { retryAfterMs: SHARED_WORK_RETRY_MS }) };
    return Object.assign(new Error(message, { cause: error }), { extensions });
  }

  private answerHttp(error: LockError, host: ArgumentsHost): void {
    if (this.applicationRef === undefined && this.httpAdapterHost === undefined) throw withoutAdapter(error);
    const adapter = this.applicationRef ?? this.httpAdapterHost?.httpAdapter;
    const response = host.switchToHttp().getResponse<HttpResponse | null | undefined>();
    // Nest reports the type `http` for every context whose library sets no other type, and has no adapter without a server.
    if (!adapter || !isResponse(response)) throw error;
    const shared = answerOfSharedWork(error, response);
    const retryAfterMs = shared ? SHARED_WORK_RETRY_MS : error.retryAfterMs;
    if (retryAfterMs !== undefined && !adapter.isHeadersSent(response)) {
      const seconds = String(Math.ceil(retryAfterMs / 1_000));
      if (response.setHeader) response.setHeader('Retry-After', seconds);
      else adapter.setHeader(response, 'Retry-After', seconds);
    }
    const status = shared?.statusCode ?? this.statusOf(error);
    const body = { ...this.bodyOf(error), ...shared };
    super.catch(new HttpException(body, status, { cause: error }) as never, host);
  }

  private answerSocket(error: LockError, host: ArgumentsHost): void {
    const message = host.switchToWs();
    const client: GatewayClient = message.getClient();
    // As in the errors of Nest, so that the client knows which of its messages failed.
    const cause = { pattern: message.getPattern(), data: message.getData<unknown>() };
    const shared = error.code === 'LOCK_CALLER_GONE' ? SHARED_WORK : {};
    const exception = { status: 'error', ...this.bodyOf(error), ...shared, cause };
    if (typeof client.readyState === 'number')
      client.send?.(JSON.stringify({ event: 'exception', data: exception }));
    else client.emit?.('exception', exception);
  }
}

/** Without an HTTP adapter, which only HTTP needs: one class may belong to several applications. */
export const FILTER_WITHOUT_ADAPTER = new LockExceptionFilter();

/** Node's, and those of Express and Fastify. Other contexts may have any second argument. */
function isResponse(argument: HttpResponse | null | undefined): argument is HttpResponse {
  return hasMethods(argument, 'setHeader') || hasMethods(argument, 'send');
}

function withoutAdapter(cause: LockError): LockConfigurationError {
  return new LockConfigurationError(
    'A LockExceptionFilter created with `new` needs the HTTP adapter: new LockExceptionFilter(app.getHttpAdapter()). ' +
      'Or let Nest create it: { provide: APP_FILTER, useClass: LockExceptionFilter }',
    { cause },
  );
}
