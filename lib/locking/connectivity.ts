import type { LockEvents } from './lock-events.js';
import type { ConnectionInfo, LockProviderListener } from './lock-provider.interface.js';

/** Follows the provider's contact with the store: tells the events, and ends waits that only make sense with contact. */
export class Connectivity implements LockProviderListener {
  readonly #interrupted = new Set<() => void>();
  #connected = false;

  constructor(
    private readonly events: LockEvents,
    readonly warning: (message: string) => void,
  ) {}

  ready(info: ConnectionInfo): void {
    this.#connected = true;
    this.events.emit({ type: 'ready', ...info });
  }

  resumed(info: ConnectionInfo): void {
    this.#connected = true;
    this.events.emit({ type: 'resumed', ...info });
  }

  suspended(error: Error): void {
    this.#interrupt();
    this.events.emit({ type: 'suspended', error });
  }

  sessionExpired(): void {
    this.#interrupt();
    this.events.emit({ type: 'sessionExpired' });
  }

  authenticationFailed(): void {
    this.#interrupt();
    this.events.emit({ type: 'authenticationFailed' });
  }

  /** The outcome of `promise`, or true as soon as there is no contact. `promise` must never reject. */
  orInterrupted(promise: Promise<boolean>): Promise<boolean> {
    if (!this.#connected) return Promise.resolve(true);
    return new Promise((resolve) => {
      const onInterrupted = () => resolve(true);
      this.#interrupted.add(onInterrupted);
      void promise.then((outcome) => {
        this.#interrupted.delete(onInterrupted);
        resolve(outcome);
      });
    });
  }

  #interrupt(): void {
    this.#connected = false;
    for (const callback of this.#interrupted) callback();
    this.#interrupted.clear();
  }
}
