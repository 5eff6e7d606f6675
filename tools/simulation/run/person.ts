import { nanoseconds } from '../../history/moments.js';
import { actorOf, attemptOf } from '../../history/names.js';
import type { FreedLock } from '../../history/run-history.js';
import type { AbandonedLock, Operator } from './operator.js';
import type { SimulatedProcess } from './simulated-process.js';
import type { World } from './world.js';

/** How often a person looks, ms. */
const LOOK_MS = 100;
/** How long a person waits for the owner to come back, ms. */
const PATIENCE_MS = [0, 1_000, 3_000];
/** How long a call that has no grant may keep what it has taken over, ms. */
const STUCK_MS = 60_000;

/**
 * Frees the closed locks that nobody works under, if their owner does not take them over soon: those of processes that have
 * ended, as no later process has their names, and those of calls that have failed after they had the lock. Much later, also
 * those of calls that have given the lock back and wait for another one, whose holder may wait for this one.
 */
export class Person {
  readonly freed: FreedLock[] = [];
  readonly #patience: number;
  /** Since when it has seen the lock without a holder, by the uuid of its last hold. */
  readonly #seen = new Map<string, number>();

  constructor(
    private readonly world: World,
    private readonly processes: readonly SimulatedProcess[],
    private readonly operator: Operator,
  ) {
    this.#patience = world.random.fork('person').pick(PATIENCE_MS);
    this.#lookLater();
  }

  #lookLater(): void {
    const { scheduler, scenario } = this.world;
    scheduler.schedule(scheduler.now + LOOK_MS, () => {
      for (const resource of scenario.resources) this.#look(resource);
      this.#lookLater();
    });
  }

  #look(resource: string): void {
    const { now } = this.world.scheduler;
    const lock = this.operator.abandonedLock(resource);
    const attempt = lock && attemptOf(lock.owner, resource);
    if (lock === undefined || attempt === undefined) return;
    const isOver = this.#isOver(attempt);
    if (!isOver && !this.world.recorder.isWaiting(attempt)) return;
    const since = this.#seen.get(lock.hold) ?? now;
    this.#seen.set(lock.hold, since);
    if (now - since < (isOver ? this.#patienceFor(lock, attempt) : STUCK_MS)) return;
    this.freed.push({ at: nanoseconds(now), resource, attempt, token: lock.token });
    this.operator.free(lock);
  }

  #isOver(attempt: string): boolean {
    const { recorder } = this.world;
    const actor = actorOf(attempt);
    const ended = this.processes.some(({ incarnations }) => incarnations.some((one) => one.actor === actor));
    return ended || recorder.hasFailed(attempt);
  }

  /** An owner that is the name of the attempt does not come back. */
  #patienceFor({ owner }: AbandonedLock, attempt: string): number {
    return attempt.startsWith(owner.owner) && owner.owner.includes('#') ? 0 : this.#patience;
  }
}
