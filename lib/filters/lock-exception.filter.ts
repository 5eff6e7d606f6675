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

/** Of nginx; nobody is there to read it. */
const CLIENT_CLOSED_REQUEST = 499;

const STATUS: Record<LockErrorCode, number> = {
  LOCK_BUSY: HttpStatus.LOCKED,
  LOCK_TIMEOUT: HttpStatus.LOCKED,
  LOCK_CALLER_GONE: CLIENT_CLOSED_REQUEST,
  LOCK_UNAVAILABLE: HttpStatus.SERVICE_UNAVAILABLE,
  LOCK_CLOSED: HttpStatus.SERVICE_UNAVAILABLE,
  LOCK_LOST: HttpStatus.INTERNAL_SERVER_ERROR,
  LOCK_CONFIGURATION: HttpStatus.INTERNAL_SERVER_ERROR,
};

const MESSAGE: Record<LockErrorCode, string> = {
  LOCK_BUSY: 'The resource is locked. Try again later.',
  LOCK_TIMEOUT: 'The resource stayed locked for too long. Try again later.',
  LOCK_CALLER_GONE: 'The client closed the request.',
  LOCK_UNAVAILABLE: 'The lock service is not available. Try again later.',
  LOCK_CLOSED: 'The server is shutting down. Try again.',
  LOCK_LOST: 'The lock was lost during the request; its outcome is unknown.',
  LOCK_CONFIGURATION: 'Internal server error',
};

/** Transports whose every call has a client that is told of its failure. */
const TOLD_CLIENTS: ReadonlySet<string> = new Set(['http', 'graphql', 'ws']);

/** Of Node, Express, or Fastify's middleware, for which the adapter of Nest 11 sets no headers; else of the adapter. */
type HttpResponse = { setHeader?(name: string, value: string): void };

/** The socket of a gateway: socket.io emits events, ws sends text. */
type GatewayClient = {
  readyState?: number;
  send?(data: string): void;
  emit?(event: string, data: unknown): void;
};

/**
 * Answers a `LockError` as the transport of the call expects it: HTTP 423 or 503 with `Retry-After`, or 500; a GraphQL
 * error with `extensions`; an RPC error; an `exception` message of a WebSocket. Other contexts, such as queues, get the
 * error itself. Clients never see the error's own text, which is logged: as an error if the status is 5xx, else for
 * debugging; outside of HTTP, GraphQL and WebSockets as a warning, because an event or a job has no client who is told.
 *
 * `LockModule` registers it, below all filters of the application. Extend it to change the answers, and register the
 * subclass with `APP_FILTER`, `@UseFilters` or `app.useGlobalFilters(new ConflictFilter(app.getHttpAdapter()))`.
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
  private static readonly log = new Logger(LockExceptionFilter.name);

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

  /** Override to answer with other statuses, for example 409 instead of 423. */
  protected statusOf(error: LockError): number {
    return STATUS[error.code];
  }

  protected bodyOf(error: LockError): LockErrorBody {
    return { statusCode: this.statusOf(error), code: error.code, message: MESSAGE[error.code] };
  }

  /** The client is told little, and Nest logs only what it answers itself: without this line nobody would ever know. */
  private logFor(transport: string, error: LockError): void {
    if (this.statusOf(error) >= 500) LockExceptionFilter.log.error(error);
    else if (TOLD_CLIENTS.has(transport)) LockExceptionFilter.log.debug(error.message);
    else LockExceptionFilter.log.warn(error.message);
  }

  /** GraphQL servers answer with the message and `extensions` of what is thrown and, in development, with its stack. */
  private graphQLErrorOf(error: LockError): Error {
    const { extensions } = error;
    return Object.assign(new Error(this.bodyOf(error).message, { cause: error }), { extensions });
  }

  private answerHttp(error: LockError, host: ArgumentsHost): void {
    const adapter = this.applicationRef ?? this.httpAdapterHost?.httpAdapter;
    if (adapter === undefined) throw withoutAdapter(error);
    const response: HttpResponse | undefined = host.switchToHttp().getResponse();
    // Nest calls every context http whose library gives it no other name.
    if (response === undefined) throw error;
    if (error.retryAfterMs !== undefined && !adapter.isHeadersSent(response)) {
      const seconds = String(Math.ceil(error.retryAfterMs / 1_000));
      if (response.setHeader) response.setHeader('Retry-After', seconds);
      else adapter.setHeader(response, 'Retry-After', seconds);
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
