import { setTimeout as sleep } from 'node:timers/promises';
import { createLockService, LockUnavailableError, type LockService } from '../../../lib/index.js';
import { attemptOf } from '../../history/names.js';
import type { FreedLock } from '../../history/run-history.js';
import { isSimpleResource } from '../../attempts/simple-resources.js';

/** How often a person looks, ms. */
const LOOK_MS = 200;
/** How long a person waits for the owner to come back, in turn, ms. */
const PATIENCE_MS = [0, 3_000, 10_000];
/** As long as the servers allow: a person is not to be hindered. */
const SESSION_TIMEOUT_MS = 40_000;

export interface PersonSettings {
  readonly connectString: string;
  readonly root: string;
  readonly resources: readonly string[];
  /** The process of the attempt has ended, or the attempt has failed. */
  readonly isOver: (attempt: string) => boolean;
}

/**
 * Frees the closed locks that nobody works under, if their owner does not take them over soon, as the person of a simulation
 * does. Has a direct connection to the servers.
 */
export class Person implements AsyncDisposable {
  readonly freed: FreedLock[] = [];
  /** Since when it has known that nobody works under a lock, by its token. */
  readonly #seen = new Map<bigint, number>();
  readonly #stop = new AbortController();
  readonly #looking: Promise<void>;
  #leaving: Promise<void> | undefined;

  private constructor(
    private readonly locks: LockService,
    private readonly settings: PersonSettings,
  ) {
    this.#looking = this.#keepLooking();
  }

  static async come(settings: PersonSettings): Promise<Person> {
    const { connectString, root } = settings;
    return new Person(
      await createLockService({ connectString, root, sessionTimeout: SESSION_TIMEOUT_MS }, 'person'),
      settings,
    );
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.leave();
  }

  /** All attempts are over: frees what is left, and leaves. */
  leave(): Promise<void> {
    this.#leaving ??= this.#leave();
    return this.#leaving;
  }

  async #leave(): Promise<void> {
    this.#stop.abort();
    await this.#looking;
    await this.#lookAtAll(() => 0).catch(ignoreUnavailable);
    await this.locks.close();
  }

  async #keepLooking(): Promise<void> {
    const { signal } = this.#stop;
    while (!signal.aborted) {
      await this.#lookAtAll((number) => PATIENCE_MS[number % PATIENCE_MS.length]!).catch(ignoreUnavailable);
      await sleep(LOOK_MS, undefined, { signal }).catch(() => {});
    }
  }

  /** @param patience for the lock with that number, ms */
  async #lookAtAll(patience: (number: number) => number): Promise<void> {
    for (const resource of this.settings.resources)
      if (!isSimpleResource(resource)) await this.#look(resource, patience);
  }

  async #look(resource: string, patience: (number: number) => number): Promise<void> {
    const { holder } = await this.locks.inspect(resource);
    const token = holder?.fencingToken;
    const attempt = holder?.owner && attemptOf(holder.owner, resource);
    if (holder?.failure !== 'closed' || token === undefined || attempt === undefined) return;
    if (!this.settings.isOver(attempt)) return;
    const now = performance.now();
    const since = this.#seen.get(token) ?? now;
    this.#seen.set(token, since);
    const number = [...this.#seen.keys()].indexOf(token);
    if (now - since < patience(number)) return;
    const at = process.hrtime.bigint();
    if (!(await this.locks.forceRelease(resource, { token }))) return;
    this.freed.push({ at, to: process.hrtime.bigint(), resource, attempt, token });
  }
}

/** The servers are down: later. */
function ignoreUnavailable(error: unknown): void {
  if (!(error instanceof LockUnavailableError)) throw error;
}
