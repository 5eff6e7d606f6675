import { Fifo } from './fifo.js';
import type { PendingRequest } from './pending-request.js';
import type { RequestPriority } from './zookeeper-client.interface.js';

/** In this order. */
const PRIORITIES = ['session', 'grant', 'queue'] as const satisfies readonly RequestPriority[];

/** This priority, and those after it. */
export function atMost(priority: RequestPriority): readonly RequestPriority[] {
  return PRIORITIES.slice(PRIORITIES.indexOf(priority));
}

/** A shared read keeps its place after so many requests have pushed it back, so that its wait has an end. */
const MOST_MOVES = 128;

/** A place in a lane; empty once its request has moved back. */
interface Slot {
  request: PendingRequest | undefined;
}

/** Requests of one priority that leave in the order of the calls. */
class Lane {
  readonly #slots = new Fifo<Slot>();
  /** Where the latest shared read stands. */
  #shared: Slot | undefined;
  #moves = 0;

  constructor(readonly key: string) {}

  push(request: PendingRequest): void {
    const slot = { request };
    this.#slots.push(slot);
    if (!request.isShared) return;
    this.#shared = slot;
    this.#moves = 0;
  }

  /**
   * The shared read of `path` that has not left yet. It moves behind everything that was asked before this call: what it
   * answers has to be newer than that.
   */
  share(path: string | undefined): PendingRequest | undefined {
    const slot = this.#shared;
    const request = slot?.request;
    if (slot === undefined || request?.path !== path || request?.isWaiting !== true) return undefined;
    if (this.#slots.last === slot) return request;
    if (this.#moves >= MOST_MOVES) return undefined;
    this.#moves += 1;
    slot.request = undefined;
    this.#shared = { request };
    this.#slots.push(this.#shared);
    return request;
  }

  /** The next request that a caller still waits for. */
  get first(): PendingRequest | undefined {
    for (let slot = this.#slots.first; slot !== undefined; slot = this.#slots.first) {
      if (slot.request?.isWaiting === true) return slot.request;
      this.#slots.shift();
    }
    return undefined;
  }

  shift(): void {
    this.#slots.shift();
  }
}

/**
 * Requests that wait until they may be sent: those that keep the session first, then those that give locks up or take
 * them over, then those that queue for more. Among equals, lanes take turns, so that a wave of requests for one lock
 * path does not hold up the others (H62). Of the shared reads of one path, one at a time is under way.
 */
export class SendQueue {
  readonly #lanes: Record<RequestPriority, Map<string, Lane>> = {
    session: new Map(),
    grant: new Map(),
    queue: new Map(),
  };
  readonly #turns: Record<RequestPriority, Fifo<Lane>> = {
    session: new Fifo(),
    grant: new Fifo(),
    queue: new Fifo(),
  };
  /** The paths that are being read for all who share, with the lanes that wait for the end of it. */
  readonly #reading = new Map<string, { readonly priority: RequestPriority; readonly lane: Lane }[]>();

  #isSharing = true;

  push(request: PendingRequest): void {
    const { priority, lane: key } = request;
    const known = this.#lanes[priority].get(key);
    const lane = known ?? new Lane(key);
    lane.push(request);
    if (known !== undefined) return;
    this.#lanes[priority].set(key, lane);
    this.#turns[priority].push(lane);
  }

  /** A request that waits here and whose answer a new shared read can have as well. */
  share(priority: RequestPriority, lane: string, path: string | undefined): PendingRequest | undefined {
    return this.#lanes[priority].get(lane)?.share(path);
  }

  /** Takes the next request out; with `onlySession`, only what keeps the session. */
  shift(onlySession: boolean): PendingRequest | undefined {
    for (const priority of onlySession ? PRIORITIES.slice(0, 1) : PRIORITIES) {
      const request = this.shiftIf(priority, () => true);
      if (request !== undefined) return request;
    }
    return undefined;
  }

  /** Takes the next request of this priority out, if it is one that `accepts` takes. */
  shiftIf(
    priority: RequestPriority,
    accepts: (request: PendingRequest) => boolean,
  ): PendingRequest | undefined {
    const turns = this.#turns[priority];
    for (let lane = turns.first; lane !== undefined; lane = turns.first) {
      const request = lane.first;
      if (request !== undefined && !accepts(request)) return undefined;
      turns.shift();
      if (request === undefined) {
        this.#lanes[priority].delete(lane.key);
        continue;
      }
      if (request.isShared && this.#park(request.path, priority, lane)) continue;
      lane.shift();
      turns.push(lane);
      return request;
    }
    return undefined;
  }

  /** The shared read of `path` has been answered: the next one may leave. */
  readEnded(path: string): void {
    const parked = this.#reading.get(path) ?? [];
    this.#reading.delete(path);
    for (const { priority, lane } of parked) {
      this.#turns[priority].push(lane);
    }
  }

  /** Nobody waits any more for the shared reads of others: what is sent now is the last. */
  endSharing(): void {
    this.#isSharing = false;
    for (const path of this.#reading.keys()) this.readEnded(path);
  }

  /** Takes everything out, for a connection that has ended. */
  *drain(): Generator<PendingRequest, void, void> {
    for (const path of this.#reading.keys()) this.readEnded(path);
    for (const priority of PRIORITIES) {
      for (const lane of this.#lanes[priority].values()) {
        for (let request = lane.first; request !== undefined; request = lane.first) {
          lane.shift();
          yield request;
        }
      }
      this.#lanes[priority].clear();
      this.#turns[priority] = new Fifo();
    }
  }

  /** True if another shared read of `path` is under way; otherwise this one is from now on. */
  #park(path: string | undefined, priority: RequestPriority, lane: Lane): boolean {
    if (path === undefined || !this.#isSharing) return false;
    const parked = this.#reading.get(path);
    if (parked === undefined) {
      this.#reading.set(path, []);
      return false;
    }
    parked.push({ priority, lane });
    return true;
  }
}
