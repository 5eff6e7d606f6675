import type { Clock, Timer } from '../../locking/clock.js';
import type { Store } from '../transactions/store.js';
import type { DataNode } from '../tree/data-node.js';
import { ttlOf } from '../tree/ephemeral-owner.js';
import { HashOrderedSet } from '../tree/hash-ordered-set.js';

/** At most 10,000 deletions per minute, like a real server. */
const PACE_MS = 6;

/** Finds containers without children and expired ttl nodes at regular intervals, and has them deleted. */
export class Reaper {
  #timer: Timer | undefined;

  constructor(
    private readonly store: Store,
    private readonly clock: Clock,
    private readonly interval: number,
    private readonly reap: (path: string) => void,
  ) {}

  start(): void {
    this.#schedule(this.clock.monotonic() + this.interval);
  }

  stop(): void {
    this.#timer?.cancel();
  }

  #schedule(due: number): void {
    const delay = Math.max(due - this.clock.monotonic(), 0);
    this.#timer = this.clock.setTimer(
      () => this.#reap(this.#candidates()[Symbol.iterator](), due + this.interval),
      delay,
    );
  }

  #reap(candidates: Iterator<string>, nextRound: number): void {
    const { value: path, done } = candidates.next();
    if (done === true) return this.#schedule(nextRound);
    this.reap(path);
    this.#timer = this.clock.setTimer(() => this.#reap(candidates, nextRound), PACE_MS);
  }

  #candidates(): HashOrderedSet {
    const { tree } = this.store;
    const candidates = new HashOrderedSet();
    for (const path of tree.reapable('container')) if (isAbandoned(tree.get(path)!)) candidates.add(path);
    for (const path of tree.reapable('ttl')) if (this.#isOver(tree.get(path)!)) candidates.add(path);
    return candidates;
  }

  #isOver({ children, mtime, owner }: DataNode): boolean {
    return children.size === 0 && this.clock.wall() - mtime > ttlOf(owner);
  }
}

/** A container that never had a child may be about to get its first. */
function isAbandoned({ children, cversion }: DataNode): boolean {
  return children.size === 0 && cversion > 0;
}
