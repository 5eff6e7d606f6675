import type { Acquisition } from './acquisition.js';
import type { Clock } from './clock.js';
import { outsideHolds } from './current-lock.js';
import { DONE_RELEASE } from './done-release.js';
import type { Hold } from './hold.js';
import { KeepAlive } from './keep-alive.js';
import { LinkedList, type Linked } from './linked-list.js';
import type { Grant, Release } from './lock-provider.interface.js';

/** `closed`: the service has closed its connection, so that nothing is left that could be waited for. */
type Phase = 'starting' | 'started' | 'closed';

interface ActiveHold extends Linked<ActiveHold> {
  readonly held: Hold;
}

/** The acquisitions and holds of a service that have not ended: they keep the process alive, and a shutdown waits for them. */
export class ActiveLocks {
  readonly #acquisitions = new LinkedList<Acquisition>();
  readonly #holds = new LinkedList<ActiveHold>();
  /** Of the holds, those whose release has begun. */
  #releasing = 0;
  readonly #keepAlive = new KeepAlive(() => this.#keepsAlive());
  #phase: Phase = 'starting';
  #onEnd: () => void = () => {};

  /**
   * Runs an acquisition and starts the hold that `toHold` makes of its grant. Throws as `Acquisition.run` does.
   *
   * @param toHold the hold calls `releasing` when its release has begun, and is active until the lock is `freed`
   */
  async acquire(
    acquisition: Acquisition,
    describeHolder: boolean,
    toHold: (grant: Grant, releasing: (release: Release) => void) => Hold,
  ): Promise<Hold> {
    this.#acquisitions.push(acquisition);
    this.#keepAlive.check();
    try {
      const grant = await outsideHolds(() => acquisition.run(describeHolder));
      const held = toHold(grant, (release) => this.#beginRelease(active, release));
      const active: ActiveHold = { held, previous: undefined, next: undefined };
      this.#holds.push(active);
      held.start();
      return held;
    } finally {
      this.#acquisitions.remove(acquisition);
      this.#keepAlive.check();
      this.#onEnd();
    }
  }

  /** Keeps the process alive until `call` has settled. */
  during<T>(call: () => Promise<T>): Promise<T> {
    return this.#keepAlive.during(call);
  }

  /** From now on, holds keep the process alive, as acquisitions always do. Before, only their releases do. */
  started(): void {
    if (this.#phase === 'starting') this.#phase = 'started';
    this.#keepAlive.check();
  }

  /** Holds and releases no longer keep the process alive: those whose work never settles would do so indefinitely. */
  closed(): void {
    this.#phase = 'closed';
    this.#keepAlive.end();
    this.#keepAlive.check();
  }

  closeAcquisitions(): void {
    for (const acquisition of [...this.#acquisitions]) acquisition.close();
  }

  abandonHolds(): void {
    for (const { held } of [...this.#holds]) held.abandon();
  }

  /**
   * Resolves with true when no lock is active, or with false after `timeout` ms. An acquisition whose grant has arrived
   * but was not processed yet still becomes a hold.
   */
  drained(clock: Clock, timeout: number): Promise<boolean> {
    if (this.#isEmpty()) return Promise.resolve(true);
    // Without a timer, which tests that fake the timers would have to advance.
    if (timeout === 0) return new Promise((resolve) => clock.nextTurn(() => resolve(this.#isEmpty())));
    return new Promise((resolve) => {
      const timer = clock.setTimer(() => resolve(false), timeout, true);
      this.#onEnd = () => {
        if (!this.#isEmpty()) return;
        timer.cancel();
        resolve(true);
      };
    });
  }

  #keepsAlive(): boolean {
    if (this.#acquisitions.size > 0) return true;
    if (this.#phase === 'closed') return false;
    return (this.#phase === 'started' ? this.#holds.size : this.#releasing) > 0;
  }

  #beginRelease(active: ActiveHold, release: Release): void {
    // The lock stays with this process: nothing has to be waited for.
    if (release === DONE_RELEASE) return this.#end(active);
    this.#releasing += 1;
    this.#keepAlive.check();
    void release.freed.then(() => {
      this.#releasing -= 1;
      this.#end(active);
    });
  }

  #end(active: ActiveHold): void {
    this.#holds.remove(active);
    this.#onEnd();
    this.#keepAlive.check();
  }

  #isEmpty(): boolean {
    return this.#holds.size === 0 && this.#acquisitions.size === 0;
  }
}
