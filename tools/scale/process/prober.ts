import { setTimeout as delay } from 'node:timers/promises';
import type { LockService } from 'nestjs-locked';
import type { ProbeReport } from './crowd-commands.js';

interface Probe {
  readonly from: number;
  readonly to: number;
}

/** Acquires and releases an uncontended lock with a new name at fixed intervals. */
export class Prober {
  readonly #probes: Probe[] = [];
  readonly #failures: Record<string, number> = {};
  readonly #running = new Set<Promise<void>>();
  readonly #timer: NodeJS.Timeout;
  /** The start and, later, the end of the first outage. */
  readonly #outage: number[] = [];
  #count = 0;

  constructor(
    private readonly locks: LockService,
    everyMs: number,
  ) {
    this.#timer = setInterval(() => this.#begin(), everyMs);
    locks.state$.subscribe((state) => {
      const down = state === 'suspended' || state === 'expired';
      const expected = this.#outage.length === 0 ? down : state === 'connected';
      if (this.#outage.length < 2 && expected) this.#outage.push(performance.now());
    });
  }

  /** The report on all probes so far; waits for those in flight, up to `limit` ms. */
  async end(limit: number): Promise<ProbeReport> {
    clearInterval(this.#timer);
    await Promise.race([Promise.all(this.#running), delay(limit)]);
    const judged = this.#probes.filter((probe) => !this.#meetsOutage(probe));
    const durations = judged.map(({ from, to }) => to - from).sort((a, b) => a - b);
    return {
      probes: durations.length,
      p50: percentile(durations, 0.5),
      p99: percentile(durations, 0.99),
      max: percentile(durations, 1),
      duringOutage: this.#probes.length - judged.length,
      unfinished: this.#running.size,
      failures: this.#failures,
    };
  }

  #begin(): void {
    const probe = this.#probe(`probe:${(this.#count += 1)}`).finally(() => this.#running.delete(probe));
    this.#running.add(probe);
  }

  async #probe(name: string): Promise<void> {
    const from = performance.now();
    try {
      const held = await this.locks.lock(name);
      this.#probes.push({ from, to: performance.now() });
      void held.release();
    } catch (error) {
      const { name: failure } = error as Error;
      this.#failures[failure] = (this.#failures[failure] ?? 0) + 1;
    }
  }

  #meetsOutage({ from, to }: Probe): boolean {
    const [begin, end = Infinity] = this.#outage;
    return begin !== undefined && from <= end && to >= begin;
  }
}

function percentile(sorted: readonly number[], share: number): number {
  return sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))] ?? 0;
}
