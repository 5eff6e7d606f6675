import { nanoseconds } from '../../history/moments.js';
import type { GuardedWrite } from '../../history/run-history.js';
import type { Random } from '../world/random.js';
import type { Scheduler } from '../world/scheduler.js';

/** How long a write may be on its way, ms. */
const LONGEST_WAY_MS = 50;

/** What the locks protect: accepts no write whose token is smaller than one before. */
export class GuardedResource {
  readonly writes: GuardedWrite[] = [];
  readonly #largest = new Map<string, bigint>();

  constructor(
    private readonly scheduler: Scheduler,
    private readonly random: Random,
  ) {}

  /** @param now when the write leaves */
  write(now: number, write: Omit<GuardedWrite, 'at' | 'accepted'>): Promise<boolean> {
    const way = this.random.chance(0.1) ? LONGEST_WAY_MS : 1;
    const arrives = now + this.random.between(0, way);
    return new Promise((resolve) => {
      this.scheduler.schedule(arrives, () => resolve(this.#arrived(write)));
    });
  }

  #arrived(write: Omit<GuardedWrite, 'at' | 'accepted'>): boolean {
    const largest = this.#largest.get(write.resource) ?? -1n;
    const accepted = write.token >= largest;
    if (accepted) this.#largest.set(write.resource, write.token);
    this.writes.push({ ...write, accepted, at: nanoseconds(this.scheduler.now) });
    return accepted;
  }
}
