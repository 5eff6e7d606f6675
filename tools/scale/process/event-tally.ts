import { monitorEventLoopDelay } from 'node:perf_hooks';
import type { LockService } from 'nestjs-locked';
import type { EventReport } from './crowd-commands.js';

const SHOWN = 10;

/** Counts the events of a lock service. */
export class EventTally {
  readonly #counts: Record<string, number> = {};
  readonly #lost: string[] = [];
  readonly #suspendedBecause: string[] = [];
  readonly #turns = monitorEventLoopDelay();
  #requeued = 0;

  constructor(locks: LockService) {
    this.#turns.enable();
    locks.events$.subscribe((event) => {
      this.#counts[event.type] = (this.#counts[event.type] ?? 0) + 1;
      if (event.type === 'lost' && this.#lost.length < SHOWN)
        this.#lost.push(`${event.resource}: ${event.error.message}`);
      if (event.type === 'suspended' && this.#suspendedBecause.length < SHOWN)
        this.#suspendedBecause.push(event.error.message);
      if (event.type === 'waiting' && event.requeued) this.#requeued += 1;
    });
  }

  report(): EventReport {
    return {
      counts: this.#counts,
      lost: this.#lost,
      suspendedBecause: this.#suspendedBecause,
      requeued: this.#requeued,
      longestTurn: this.#turns.max / 1e6,
    };
  }
}
