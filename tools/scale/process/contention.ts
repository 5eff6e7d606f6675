import type { HeldLock, LockService } from 'nestjs-locked';
import { sharedNow } from './commands.js';
import type { ContentionPlan, ContentionReport } from './crowd-commands.js';
import { contendedName } from './names.js';

/** The attempts of one plan: `parallel` of them join queues concurrently, the others are waiting or holding. */
export class Contention {
  readonly #grantedAt: number[] = [];
  readonly #failures: Record<string, number> = {};
  readonly #held = new Set<HeldLock>();
  readonly #onTheWay = new Set<string>();
  readonly #conditions = new Set<() => void>();
  readonly #attempts: number;
  #begun = 0;
  #ended = 0;

  constructor(
    private readonly locks: LockService,
    private readonly plan: ContentionPlan,
  ) {
    this.#attempts = plan.names * plan.each;
    locks.events$.subscribe((event) => {
      // The purpose distinguishes attempts on the same name.
      if ((event.type === 'waiting' || event.type === 'acquired') && event.purpose !== undefined)
        this.#arrived(event.purpose);
    });
    this.#next();
  }

  /** Resolves when `count` attempts are granted or in a queue. */
  placed(count: number): Promise<boolean> {
    return this.#until(() => this.#placed >= count);
  }

  /** Resolves with true when all attempts have ended, or with false after `limit` ms. */
  settled(limit: number): Promise<boolean> {
    return this.#until(() => this.#ended === this.#attempts, limit);
  }

  report(): ContentionReport {
    return {
      attempts: this.#attempts,
      placed: this.#placed,
      granted: this.#grantedAt.length,
      grantedAt: this.#grantedAt,
      failures: this.#failures,
    };
  }

  async releaseAll(parallel: number): Promise<void> {
    const holds = [...this.#held].values();
    const worker = async (): Promise<void> => {
      for (const held of holds) await held.release();
    };
    await Promise.all(Array.from({ length: parallel }, worker));
    this.#held.clear();
  }

  get #placed(): number {
    return this.#begun - this.#onTheWay.size;
  }

  #next(): void {
    const { parallel } = this.plan;
    while (this.#onTheWay.size < parallel && this.#begun < this.#attempts) void this.#attempt(this.#begun++);
  }

  async #attempt(index: number): Promise<void> {
    const purpose = `${this.plan.prefix}#${index}`;
    this.#onTheWay.add(purpose);
    try {
      const held = await this.locks.lock(contendedName(this.plan, index), {
        purpose,
        fair: this.plan.fair,
      });
      this.#grantedAt.push(sharedNow());
      if (this.plan.onGrant === 'release') void held.release();
      else this.#held.add(held);
    } catch (error) {
      const { name, message } = error as Error;
      const failure = `${name}: ${message}`.replaceAll(/\d+/g, '#').slice(0, 160);
      this.#failures[failure] = (this.#failures[failure] ?? 0) + 1;
      this.#arrived(purpose);
    }
    this.#ended += 1;
    this.#look();
  }

  #arrived(purpose: string): void {
    if (!this.#onTheWay.delete(purpose)) return;
    this.#next();
    this.#look();
  }

  #look(): void {
    for (const condition of this.#conditions) condition();
  }

  #until(holds: () => boolean, limit?: number): Promise<boolean> {
    if (holds()) return Promise.resolve(true);
    return new Promise((resolve) => {
      const end = (held: boolean): void => {
        this.#conditions.delete(look);
        clearTimeout(timer);
        resolve(held);
      };
      const look = (): void => {
        if (holds()) end(true);
      };
      const timer = limit === undefined ? undefined : setTimeout(() => end(false), limit);
      this.#conditions.add(look);
    });
  }
}
