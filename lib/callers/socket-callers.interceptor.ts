import type { CallHandler, ExecutionContext, NestInterceptor } from '@nestjs/common';
import { Observable, finalize } from 'rxjs';
import { runForCaller } from '../locking/current-lock.js';
import { SocketCaller, type SocketClient } from './socket-caller.js';

/** Makes the client of a message known to the gateway handler and to the services that it calls. */
class SocketCallersInterceptor implements NestInterceptor {
  /** One listener per client, however many of its messages wait concurrently. */
  private readonly disconnects = new WeakMap<SocketClient, AbortController>();

  intercept(context: ExecutionContext, next: CallHandler): Observable<unknown> {
    // The class of a gateway may have other handlers as well.
    if (context.getType() !== 'ws') return next.handle();
    const client = context.switchToWs().getClient<SocketClient>();
    const caller = new SocketCaller(client, this.disconnects);
    return new Observable((subscriber) =>
      // Nest runs the handler in the async context of this call.
      runForCaller(caller, () =>
        next
          .handle()
          .pipe(finalize(() => caller.handled()))
          .subscribe(subscriber),
      ),
    );
  }
}

export const SOCKET_CALLERS = new SocketCallersInterceptor();
