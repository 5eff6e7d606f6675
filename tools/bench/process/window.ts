import { setTimeout as sleep } from 'node:timers/promises';
import { sharedNow } from '../shared-clock.js';
import { GrantLog } from './grant-log.js';
import type { LockClient } from './lock-client.interface.js';

/** What a worker does in one window; 0: no limit. */
export interface WindowPlan {
  /** 0: each turn of a waiter has a new key. */
  readonly keys: number;
  /** Waiters for each key. */
  readonly waiters: number;
  readonly milliseconds: number;
  /** The number of times that each waiter acquires the lock. */
  readonly turns: number;
}

export interface WindowReport {
  /** On the shared clock, ns. */
  readonly startedAt: number;
  readonly endedAt: number;
  /** CPU time of the process, µs. */
  readonly cpuMicros: number;
}

/**
 * A hold without work is so short that two of them hardly ever overlap. So one hold of each interval lasts longer, in
 * every subject alike, in which the checker can see other holders. It costs each process about 1 % of its time.
 */
const LONG_HOLD_INTERVAL_NS = 100_000_000;
const LONG_HOLD_MS = 1;

/** Acquires and releases locks as planned, and logs each grant. */
export class LockWindow {
  readonly log = new GrantLog();
  #deadline = Infinity;
  #nextLongHold = 0;

  constructor(
    private readonly client: LockClient,
    private readonly plan: WindowPlan,
  ) {}

  async prepare(): Promise<void> {
    for (let key = 0; key < this.plan.keys; key += 1) await this.client.prepare?.(keyName(key));
  }

  async run(): Promise<WindowReport> {
    const { keys, waiters, milliseconds } = this.plan;
    const cpu = process.cpuUsage();
    const startedAt = sharedNow();
    if (milliseconds > 0) this.#deadline = startedAt + milliseconds * 1e6;
    const keyOf = (waiter: number): number | undefined => (keys === 0 ? undefined : waiter % keys);
    const all = Array.from({ length: Math.max(keys, 1) * waiters }, (_, waiter) => keyOf(waiter));
    await Promise.all(all.map((key) => this.#takeTurns(key)));
    const endedAt = sharedNow();
    const { user, system } = process.cpuUsage(cpu);
    return { startedAt, endedAt, cpuMicros: user + system };
  }

  async #takeTurns(known: number | undefined): Promise<void> {
    const knownName = known === undefined ? undefined : keyName(known);
    for (let turn = 1; ; turn += 1) {
      const requested = sharedNow();
      // No other turn has that time.
      const key = known ?? requested;
      const name = knownName ?? keyName(key);
      if (known === undefined) await this.client.prepare?.(name);
      await this.client.withLock(name, () => this.#hold(key, requested));
      if (turn === this.plan.turns || sharedNow() >= this.#deadline) return;
    }
  }

  #hold(key: number, requested: number): Promise<void> | void {
    const acquired = sharedNow();
    if (acquired >= this.#nextLongHold) {
      this.#nextLongHold = acquired + LONG_HOLD_INTERVAL_NS;
      return sleep(LONG_HOLD_MS).then(() => this.log.add(key, requested, acquired, sharedNow()));
    }
    this.log.add(key, requested, acquired, sharedNow());
  }
}

export function keyName(key: number): string {
  return `key-${key}`;
}
