import type { LockEvents } from './lock-events.js';
import type { ConnectionLog } from './connection-log.interface.js';
import type { ConnectionInfo, LockProviderListener } from './lock-provider.interface.js';

/** Emits the provider's connection changes as events, and logs failed attempts. */
export class ConnectionMonitor implements LockProviderListener {
  constructor(
    private readonly events: LockEvents,
    readonly warning: (message: string) => void,
    private readonly log?: ConnectionLog,
  ) {}

  attemptFailed(server: string, cause: Error): void {
    this.log?.attemptFailed(server, cause);
  }

  ready(info: ConnectionInfo): void {
    this.log?.connected();
    this.events.emit({ type: 'ready', ...info });
  }

  resumed(info: ConnectionInfo): void {
    this.log?.connected();
    this.events.emit({ type: 'resumed', ...info });
  }

  suspended(error: Error): void {
    this.events.emit({ type: 'suspended', error });
  }

  sessionExpired(session: string): void {
    this.events.emit({ type: 'sessionExpired', session });
  }

  together(tell: () => void): void {
    this.events.together(tell);
  }

  authenticationFailed(): void {
    this.events.emit({ type: 'authenticationFailed' });
  }
}
