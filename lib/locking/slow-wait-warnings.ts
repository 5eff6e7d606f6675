import type { Clock, Timer } from './clock.js';
import { escapeControls } from './escape-controls.js';
import { LinkedList, type Linked } from './linked-list.js';
import type { Predecessor } from './lock-provider.interface.js';

/** An acquisition that waits for a lock. */
export interface Wait {
  /** Who is directly ahead in the queue, if known. */
  readonly ahead: Predecessor | undefined;
}

interface OngoingWait extends Linked<OngoingWait> {
  readonly wait: Wait;
  /** Stamp of `Clock.monotonic()`. A call for several locks has waited for others before, which this lock is not to blame for. */
  readonly startedAt: number;
}

interface Waits {
  /** Oldest first. */
  readonly waits: LinkedList<OngoingWait>;
  timer: Timer | undefined;
}

export interface SlowWaitWarningsOptions {
  readonly clock: Clock;
  /** Warn of longer waits, ms; `Infinity` = never. */
  readonly slowAfterMs: number;
  readonly warn: (message: string) => void;
}

/**
 * Warns of slow waits: once per resource, however many acquisitions wait for it, and again only after there were no waiters
 * in between.
 */
export class SlowWaitWarnings {
  readonly #byResource = new Map<string, Waits>();

  constructor(private readonly options: SlowWaitWarningsOptions) {}

  /** Returns a function to call at the end of the wait. */
  add(resource: string, wait: Wait): () => void {
    const { clock, slowAfterMs } = this.options;
    if (slowAfterMs === Infinity) return () => {};
    let entry = this.#byResource.get(resource);
    if (entry === undefined) {
      entry = { waits: new LinkedList(), timer: undefined };
      this.#byResource.set(resource, entry);
    }
    const ongoing: OngoingWait = {
      wait,
      startedAt: clock.monotonic(),
      previous: undefined,
      next: undefined,
    };
    entry.waits.push(ongoing);
    if (entry.waits.size === 1) this.#check(resource, entry);
    return () => this.#ended(resource, entry, ongoing);
  }

  #ended(resource: string, entry: Waits, ongoing: OngoingWait): void {
    entry.waits.remove(ongoing);
    if (entry.waits.size > 0) return;
    entry.timer?.cancel();
    this.#byResource.delete(resource);
  }

  /** Warns if the oldest wait is slow; otherwise checks again at the time when it will be. */
  #check(resource: string, entry: Waits): void {
    const { clock, slowAfterMs, warn } = this.options;
    const oldest = entry.waits.first;
    if (oldest === undefined) return;
    const waitedMs = clock.monotonic() - oldest.startedAt;
    if (waitedMs >= slowAfterMs) warn(describe(resource, oldest.wait, waitedMs, entry.waits.size));
    else entry.timer = clock.setTimer(() => this.#check(resource, entry), Math.ceil(slowAfterMs - waitedMs));
  }
}

function describe(resource: string, { ahead }: Wait, waitedMs: number, count: number): string {
  const closed = ahead?.staysClosed === true ? ', whose lock fails closed' : '';
  const behind = ahead === undefined ? '' : `, behind ${escapeControls(ahead.owner)}${closed}`;
  const others = count === 1 ? '' : `; ${count} calls of this process are waiting for it`;
  const waited = waitedMs < 1_000 ? `${Math.round(waitedMs)} ms` : `${Math.round(waitedMs / 1_000)} s`;
  return `Still waiting for lock '${escapeControls(resource)}' after ${waited}${behind}${others}`;
}
