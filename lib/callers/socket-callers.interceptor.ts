import type { CallHandler, ExecutionContext, NestInterceptor } from '@nestjs/common';
import { Observable, finalize } from 'rxjs';
import { runForCaller } from '../locking/current-lock.js';
import { SocketCaller, type SocketClient } from './socket-caller.js';

/** Lets the handlers of a gateway, and the services below them, know the client whose message they handle. */
class SocketCallersInterceptor implements NestInterceptor {
  /** One listener per client, however many of its messages wait at the same time. */
  private readonly departures = new WeakMap<SocketClient, AbortController>();

  intercept(context: ExecutionContext, next: CallHandler): Observable<unknown> {
    const client = context.switchToWs().getClient<SocketClient>();
    const caller = new SocketCaller(client, this.departures);
    return new Observable((subscriber) =>
      // Nest keeps the async context in which it is asked for the handler.
      runForCaller(caller, () =>
        next
          .handle()
          .pipe(finalize(() => caller.answered()))
          .subscribe(subscriber),
      ),
    );
  }
}

export const SOCKET_CALLERS = new SocketCallersInterceptor();
