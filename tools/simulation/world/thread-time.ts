import type { Scheduler } from './scheduler.js';

export interface Rates {
  /** Milliseconds of the monotonic clock in a millisecond of the simulation; 1 by default. */
  readonly rate?: number | undefined;
  /** The same for the wall clock, which something like NTP can slew; that of the monotonic clock by default. */
  readonly wallRate?: number | undefined;
  /** How far the wall clock is ahead, ms. */
  readonly wallOffset?: number | undefined;
}

/** Wall-clock time at the start of every simulation, ms since 1970. */
const WALL_START = Date.UTC(2026, 0, 1);

interface PlannedStall {
  readonly ms: number;
  readsBefore: number;
  readonly happened: () => void;
}

/** Time as the only thread of a host sees it. */
export class ThreadTime {
  readonly #stalls: PlannedStall[] = [];
  readonly #rate: number;
  readonly #wallRate: number;
  #wallOffset: number;
  #runs = false;
  /** The thread has been descheduled until then, within a callback. */
  #reached = 0;
  #descheduledAt = 0;

  constructor(
    private readonly scheduler: Scheduler,
    { rate = 1, wallRate = rate, wallOffset = 0 }: Rates,
  ) {
    this.#rate = rate;
    this.#wallRate = wallRate;
    this.#wallOffset = wallOffset;
  }

  /** Time of the simulation. Ahead of the scheduler if the thread was descheduled within the current callback. */
  get now(): number {
    return Math.max(this.scheduler.now, this.#reached);
  }

  /** Time of the simulation since when it is descheduled; now if it is not. */
  get descheduledSince(): number {
    const { now } = this.scheduler;
    return this.#reached > now ? this.#descheduledAt : now;
  }

  /** The monotonic clock shows `now` without having been read by the host. */
  get monotonicNow(): number {
    return this.now * this.#rate;
  }

  /** The host reads its monotonic clock. */
  readMonotonic(): number {
    this.#read();
    return this.monotonicNow;
  }

  /** The host reads its wall clock. Like that of Node, it shows whole milliseconds. */
  readWall(): number {
    this.#read();
    return Math.floor(WALL_START + this.now * this.#wallRate + this.#wallOffset);
  }

  stepWall(ms: number): void {
    this.#wallOffset += ms;
  }

  /** When the monotonic clock shows this. */
  worldTime(monotonic: number): number {
    return monotonic / this.#rate;
  }

  /** @param happened called when the thread goes on */
  planStall(ms: number, readsBefore: number, happened: () => void): void {
    this.#stalls.push({ ms, readsBefore, happened });
  }

  callbackStarted(): void {
    this.#runs = true;
  }

  callbackEnded(): void {
    this.#runs = false;
  }

  /** Reads from outside, such as those of a checker, are not reads of the thread. */
  #read(): void {
    const [stall] = this.#stalls;
    if (!this.#runs || stall === undefined) return;
    if (stall.readsBefore-- > 0) return;
    this.#stalls.shift();
    if (this.#reached <= this.scheduler.now) this.#descheduledAt = this.scheduler.now;
    this.#reached = this.now + stall.ms;
    stall.happened();
  }
}
