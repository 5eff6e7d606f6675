import { Catch, HttpException, HttpStatus, Logger, type ArgumentsHost } from '@nestjs/common';
import { BaseExceptionFilter } from '@nestjs/core';
import { throwError, type Observable } from 'rxjs';
import { LockConfigurationError } from '../locking/errors/lock-configuration.error.js';
import { LockError, type LockErrorCode } from '../locking/errors/lock.error.js';

/** What a client is told. Names of resources, holders and servers stay inside. */
export interface LockErrorBody {
  readonly statusCode: number;
  readonly code: LockErrorCode;
  readonly message: string;
}

const STATUS: Record<LockErrorCode, HttpStatus> = {
  LOCK_BUSY: HttpStatus.LOCKED,
  LOCK_TIMEOUT: HttpStatus.LOCKED,
  LOCK_UNAVAILABLE: HttpStatus.SERVICE_UNAVAILABLE,
  LOCK_CLOSED: HttpStatus.SERVICE_UNAVAILABLE,
  LOCK_LOST: HttpStatus.INTERNAL_SERVER_ERROR,
  LOCK_CONFIGURATION: HttpStatus.INTERNAL_SERVER_ERROR,
};

const MESSAGE: Record<LockErrorCode, string> = {
  LOCK_BUSY: 'The resource is locked. Try again later.',
  LOCK_TIMEOUT: 'The resource stayed locked for too long. Try again later.',
  LOCK_UNAVAILABLE: 'The lock service is not available. Try again later.',
  LOCK_CLOSED: 'The server is shutting down. Try again.',
  LOCK_LOST: 'The lock was lost during the request; its outcome is unknown.',
  LOCK_CONFIGURATION: 'Internal server error',
};

/** The socket of a gateway: socket.io emits events, ws sends text. */
type GatewayClient = {
  readyState?: number;
  send?(data: string): void;
  emit?(event: string, data: unknown): void;
};

/**
 * Answers a `LockError` as the transport of the call expects it: HTTP 423 or 503 with `Retry-After`, or 500; an RPC error;
 * an `exception` message of a WebSocket. GraphQL reads `extensions` of the error itself. What is answered 500 is logged.
 *
 * Register it with `APP_FILTER`, or `app.useGlobalFilters(new LockExceptionFilter(app.getHttpAdapter()))`. Gateways need
 * `@UseFilters(LockExceptionFilter)`, because global filters do not reach them, and microservices of a hybrid application
 * `inheritAppConfig: true`.
 *
 * @publicApi
 * @example
 * { provide: APP_FILTER, useClass: LockExceptionFilter }
 */
@Catch(LockError)
export class LockExceptionFilter extends BaseExceptionFilter<LockError> {
  private static readonly log = new Logger(LockExceptionFilter.name);

  override catch(error: LockError, host: ArgumentsHost): void | Observable<never> {
    // The client is told little, and Nest logs only what it answers itself: without this line nobody would ever know.
    if (this.statusOf(error) === 500) LockExceptionFilter.log.error(error);
    switch (host.getType<string>()) {
      case 'http':
        return this.answerHttp(error, host);
      case 'rpc':
        return throwError(() => this.bodyOf(error));
      case 'ws':
        return this.answerSocket(error, host);
      default:
        throw error;
    }
  }

  /** Override to answer with other statuses, for example 409 instead of 423. */
  protected statusOf(error: LockError): number {
    return STATUS[error.code];
  }

  protected bodyOf(error: LockError): LockErrorBody {
    return { statusCode: this.statusOf(error), code: error.code, message: MESSAGE[error.code] };
  }

  private answerHttp(error: LockError, host: ArgumentsHost): void {
    const adapter = this.applicationRef ?? this.httpAdapterHost?.httpAdapter;
    if (adapter === undefined) throw withoutAdapter(error);
    const response: unknown = host.switchToHttp().getResponse();
    if (error.retryAfterMs !== undefined && !adapter.isHeadersSent(response)) {
      adapter.setHeader(response, 'Retry-After', String(Math.ceil(error.retryAfterMs / 1_000)));
    }
    super.catch(new HttpException(this.bodyOf(error), this.statusOf(error), { cause: error }) as never, host);
  }

  private answerSocket(error: LockError, host: ArgumentsHost): void {
    const client: GatewayClient = host.switchToWs().getClient();
    const exception = { status: 'error', ...this.bodyOf(error) };
    if (typeof client.readyState === 'number')
      client.send?.(JSON.stringify({ event: 'exception', data: exception }));
    else client.emit?.('exception', exception);
  }
}

function withoutAdapter(cause: LockError): LockConfigurationError {
  return new LockConfigurationError(
    'A LockExceptionFilter made with `new` needs the HTTP adapter: new LockExceptionFilter(app.getHttpAdapter()). ' +
      'Or let Nest make it: { provide: APP_FILTER, useClass: LockExceptionFilter }',
    { cause },
  );
}
