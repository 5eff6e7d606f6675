import type { Clock, Timer } from './clock.js';
import { escapeControls } from './escape-controls.js';

/** A wait for a lock that has not ended. */
export interface Wait {
  /** Stamp of `Clock.monotonic()`. */
  readonly startedAt: number;
  /** The owner directly ahead in the queue, when it is known. */
  readonly ahead: string | undefined;
}

interface Waits {
  /** In the order in which they began. */
  readonly waits: Set<Wait>;
  timer: Timer | undefined;
}

export interface SlowWaitWarningsOptions {
  readonly clock: Clock;
  /** A wait that lasts longer is worth a warning, ms; Infinity for never. */
  readonly slowAfterMs: number;
  readonly warn: (message: string) => void;
}

/**
 * Warns of names that are waited for longer than usual: once per name, however many wait for it, and again only after
 * nobody has waited for it.
 */
export class SlowWaitWarnings {
  readonly #byResource = new Map<string, Waits>();

  constructor(private readonly options: SlowWaitWarningsOptions) {}

  /** Returns how to tell that the wait has ended. */
  add(resource: string, wait: Wait): () => void {
    if (this.options.slowAfterMs === Infinity) return () => {};
    let entry = this.#byResource.get(resource);
    if (entry === undefined) {
      entry = { waits: new Set(), timer: undefined };
      this.#byResource.set(resource, entry);
    }
    entry.waits.add(wait);
    if (entry.waits.size === 1) this.#look(resource, entry);
    return () => this.#ended(resource, entry, wait);
  }

  #ended(resource: string, entry: Waits, wait: Wait): void {
    entry.waits.delete(wait);
    if (entry.waits.size > 0) return;
    entry.timer?.cancel();
    this.#byResource.delete(resource);
  }

  /** Warns if the oldest wait is slow, or looks again when it will be. */
  #look(resource: string, entry: Waits): void {
    const { clock, slowAfterMs, warn } = this.options;
    const [oldest] = entry.waits;
    if (oldest === undefined) return;
    const waitedMs = clock.monotonic() - oldest.startedAt;
    if (waitedMs >= slowAfterMs) warn(describe(resource, oldest, waitedMs, entry.waits.size));
    else entry.timer = clock.setTimer(() => this.#look(resource, entry), Math.ceil(slowAfterMs - waitedMs));
  }
}

function describe(resource: string, { ahead }: Wait, waitedMs: number, count: number): string {
  const behind = ahead === undefined ? '' : `, behind ${escapeControls(ahead)}`;
  const others = count === 1 ? '' : `; ${count} calls of this process wait for it`;
  return `Still waiting for lock '${escapeControls(resource)}' after ${Math.round(waitedMs / 1_000)} s${behind}${others}`;
}
