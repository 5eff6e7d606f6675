import type { HoldClock } from './hold-clock.js';

const TTL_WARNING_SHARE = 0.8;
const SHORTEST_TTL_WITH_WARNING_MS = 1_000;

/** What is due before the end of a hold, and at it. */
export interface EndTimersListener {
  warn(): void;
  expire(): void;
}

/** The timers of the ttl of a hold, which may be extended. */
export class EndTimers {
  /** The age that they are set for, ms. */
  #end = Infinity;
  #stop: () => void = () => {};

  constructor(
    private readonly clock: HoldClock,
    private readonly listener: EndTimersListener,
  ) {}

  /** Sets them if the end has moved. */
  update(): void {
    const { clock, listener } = this;
    const { endMs, heldMs } = clock;
    if (endMs === this.#end) return;
    this.#stop();
    this.#stop = () => {};
    this.#end = endMs;
    if (endMs === Infinity) return;
    const timers = [clock.at(endMs, () => listener.expire())];
    // A little time has passed since the ttl began.
    const ttl = Math.ceil(endMs - heldMs);
    if (ttl >= SHORTEST_TTL_WITH_WARNING_MS)
      timers.push(clock.at(heldMs + ttl * TTL_WARNING_SHARE, () => listener.warn()));
    this.#stop = () => timers.forEach((cancel) => cancel());
  }
}
