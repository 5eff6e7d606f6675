import { nanoseconds } from '../../history/moments.js';
import { actorOf, attemptOf } from '../../history/names.js';
import type { FreedLock } from '../../history/run-history.js';
import type { AbandonedLock, Operator } from './operator.js';
import type { Random } from '../world/random.js';
import type { SeenHold } from './force-lock.js';
import type { SimulatedProcess } from './simulated-process.js';
import type { World } from './world.js';

/** How often a person looks, ms. */
const LOOK_MS = 100;
/** How long a person waits for the owner to come back, ms. */
const PATIENCE_MS = [0, 1_000, 3_000];
/** How long a call that has no grant may keep what it has taken over, ms. */
const STUCK_MS = 60_000;
/** Of the runs in which the person knows the applications, and lets one of them free the lock. */
const ASKING_SHARE = 0.5;
/** Between the look at a lock and the call that frees it, ms. Its owner may have it again by then. */
const CALLS_AFTER_MS = [0, 1_000, 3_000];

/** How the person lets an application free a lock. */
interface Calls {
  readonly random: Random;
  /** ms */
  readonly calledAfter: number;
}

interface PersonsLock extends FreedLock {
  to?: bigint;
}

/**
 * Frees the closed locks that nobody works under, if their owner does not take them over soon: those of processes that have
 * ended, as no later process has their names, and those of calls that have failed after they had the lock. Much later, also
 * those of calls that have given the lock back and wait for another one, whose holder may wait for this one.
 */
export class Person {
  readonly freed: FreedLock[] = [];
  readonly #patience: number;
  /** Absent: the person deletes nodes. */
  readonly #calls: Calls | undefined;
  /** Holds that a call is about to end, by their uuids. */
  readonly #calling = new Set<string>();
  /** Since when it has seen the lock without a holder, by the uuid of its last hold. */
  readonly #seen = new Map<string, number>();

  constructor(
    private readonly world: World,
    private readonly processes: readonly SimulatedProcess[],
    private readonly operator: Operator,
  ) {
    const random = world.random.fork('person');
    this.#patience = random.pick(PATIENCE_MS);
    if (random.chance(ASKING_SHARE)) this.#calls = { random, calledAfter: random.pick(CALLS_AFTER_MS) };
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
    if (lock === undefined || attempt === undefined || this.#calling.has(lock.hold)) return;
    const isOver = this.#isOver(attempt);
    if (!isOver && !this.world.recorder.isWaiting(attempt)) return;
    const since = this.#seen.get(lock.hold) ?? now;
    this.#seen.set(lock.hold, since);
    if (now - since < (isOver ? this.#patienceFor(lock, attempt) : STUCK_MS)) return;
    const seen = { resource, attempt, token: lock.token };
    const calls = isOver && this.processes.some(({ isOpen }) => isOpen) ? this.#calls : undefined;
    if (calls !== undefined) return this.#callLater(lock.hold, seen, calls);
    const at = nanoseconds(now);
    this.freed.push({ ...seen, at, to: at });
    this.operator.free(lock);
  }

  /** If no application can be asked then, the person looks again. */
  #callLater(
    hold: string,
    seen: SeenHold & { readonly attempt: string },
    { random, calledAfter }: Calls,
  ): void {
    const { scheduler } = this.world;
    this.#calling.add(hold);
    scheduler.schedule(scheduler.now + calledAfter, () => {
      this.#calling.delete(hold);
      const freed: PersonsLock = { ...seen, at: nanoseconds(scheduler.now) };
      const isAsked = random.pick(this.processes).force(seen, () => {
        freed.to = nanoseconds(scheduler.now);
      });
      if (isAsked) this.freed.push(freed);
    });
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
