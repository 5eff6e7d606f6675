import type { Random } from '../world/random.js';

/** What a direction stops and lets go on. */
export interface Traffic {
  halt(): void;
  proceed(): void;
  /** What has not left yet leaves at the speed of the direction now. @param before the speed until now, bytes per ms */
  paced(before: number): void;
}

/** One gigabit per second. */
export const BYTES_PER_MS = 125_000;
/** The greatest chance that a segment arrives in two pieces. */
const MAX_SPLIT_CHANCE = 0.05;

/** The conditions of the network from one host to another. Those of the way back are apart. */
export class Direction {
  latency: { readonly min: number; readonly max: number } = { min: 0.05, max: 0.5 };
  /** The end of a connection is not told to the other end. */
  swallowsFin = false;
  /** A firewall rejects new connections. */
  refusesConnects = false;
  /** How often the bytes of one write arrive in two pieces. */
  splitChance: number;
  /** Paths that have something in flight. */
  readonly #busy = new Set<Traffic>();
  readonly #cuts: number[] = [];
  #bytesPerMs = BYTES_PER_MS;
  #stalls = 0;
  #forks = 0;

  constructor(private readonly random: Random) {
    this.splitChance = random.between(0, MAX_SPLIT_CHANCE);
  }

  get bytesPerMs(): number {
    return this.#bytesPerMs;
  }

  /** Also for what is in flight. */
  set bytesPerMs(bytesPerMs: number) {
    const before = this.#bytesPerMs;
    this.#bytesPerMs = bytesPerMs;
    for (const traffic of this.#busy) traffic.paced(before);
  }

  get stalled(): boolean {
    return this.#stalls > 0;
  }

  /** Nothing arrives any more; nothing is lost either. Several stalls end with the last one. */
  stall(): void {
    this.#stalls += 1;
    for (const traffic of this.#busy) traffic.halt();
  }

  /** What was kept arrives, in order. */
  resume(): void {
    if (this.#stalls === 0) return;
    this.#stalls -= 1;
    if (this.stalled) return;
    for (const traffic of this.#busy) traffic.proceed();
  }

  started(traffic: Traffic): void {
    this.#busy.add(traffic);
  }

  ended(traffic: Traffic): void {
    this.#busy.delete(traffic);
  }

  /** The next socket that carries data will be reset after so many bytes. */
  planCut(bytes: number): void {
    this.#cuts.push(bytes);
  }

  /** The first plan for a cut that no socket has taken yet. */
  takeCut(): number | undefined {
    return this.#cuts.shift();
  }

  /** An independent stream for each path, so that the traffic of one does not shift what others draw. */
  forkRandom(): Random {
    return this.random.fork(`${this.#forks++}`);
  }
}
