import { filter, firstValueFrom, map } from 'rxjs';
import type { OpenedLockService } from '../../lock-environment.interface.js';
import type { LockService } from '../../lock.service.js';
import type { LockEvent, ReadyEvent } from '../../locking/lock-event.interface.js';

const OVER: ReadonlySet<LockEvent['type']> = new Set(['sessionExpired', 'authenticationFailed', 'closed']);

/** The current session of each lock service, as far as the service knows: the first one of those that share its locks. */
export class ServiceSessions {
  readonly #ids = new Map<LockService, bigint>();

  follow({ service }: OpenedLockService): void {
    service.events$.subscribe((event) => {
      // Not `resumed`, which may name any of several sessions.
      if (isReady(event)) this.#ids.set(service, BigInt(event.session));
      else if (OVER.has(event.type)) this.#ids.delete(service);
    });
  }

  /** Undefined while there is none. */
  of(service: LockService): bigint | undefined {
    return this.#ids.get(service);
  }

  /**
   * The current session, or the next one if that is being opened; undefined if neither is so. Rejects with `EmptyError` if
   * the service closes first.
   */
  async next(service: LockService): Promise<bigint | undefined> {
    const isOpening = service.state === 'connecting' || service.state === 'expired';
    if (!isOpening) return this.of(service);
    return firstValueFrom(
      service.events$.pipe(
        filter(isReady),
        map(({ session }) => BigInt(session)),
      ),
    );
  }
}

function isReady(event: LockEvent): event is ReadyEvent {
  return event.type === 'ready';
}
