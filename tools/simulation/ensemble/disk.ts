import { DeliveryQueue } from '../../../lib/testing/server/delivery-queue.js';
import type { RoleParts } from './role.interface.js';

/** Writes the log of a server to its disk, in order. */
export class Disk {
  readonly #writes: DeliveryQueue<{ readonly zxid: bigint; readonly done: () => void }>;

  constructor({ clock, random, settings, log }: RoleParts) {
    this.#writes = new DeliveryQueue(
      clock,
      ({ zxid, done }) => {
        log.synced(zxid);
        done();
      },
      () => random.between(settings.syncDelay.min, settings.syncDelay.max),
    );
  }

  /** Calls back when everything up to `zxid` will survive the process. */
  sync(zxid: bigint, done: () => void): void {
    this.#writes.push({ zxid, done });
  }

  stop(): void {
    this.#writes.close();
  }
}
