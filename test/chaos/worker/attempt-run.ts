import { setTimeout as sleep } from 'node:timers/promises';
import type { WriteMoment } from '../history/chaos-history.js';
import type { NewAttemptEvent, ReleaseOutcome } from '../history/process-event.js';
import type { AttemptPlan } from './attempt-plan.js';
import type { ChaosHold, ChaosLockOptions, ChaosLocks } from './chaos-locks.interface.js';
import type { GuardClient } from './guard-client.js';
import { HoldWatch } from './hold-watch.js';
import { outcomeOf } from './outcome.js';
import type { WorkerJournal } from './worker-journal.js';

export interface AttemptContext {
  readonly locks: ChaosLocks;
  readonly guard: GuardClient;
  readonly journal: WorkerJournal;
}

/** One attempt as planned, from the question to the last write that was meant for its hold. */
export class AttemptRun {
  readonly #impatience = new AbortController();
  #hold: ChaosHold | undefined;
  #working: Promise<boolean> = Promise.resolve(true);

  constructor(
    private readonly name: string,
    private readonly plan: AttemptPlan,
    private readonly context: AttemptContext,
  ) {}

  async run(): Promise<void> {
    const { abortAfter, verb, resource, wait, ttl, minHold } = this.plan;
    this.#tell({ what: 'asked', resource, verb, ...(wait === Infinity ? {} : { wait }), ttl, minHold });
    const timer = abortAfter === undefined ? undefined : setTimeout(() => this.#losePatience(), abortAfter);
    try {
      await (verb === 'withLock' ? this.#withLock() : this.#byHand(verb));
    } catch (error) {
      this.#failed(error);
    } finally {
      clearTimeout(timer);
    }
    await this.#afterwards();
  }

  async #withLock(): Promise<void> {
    await this.context.locks.withLock(this.plan.resource, this.#options, (held) => this.#start(held));
    this.#tell({ what: 'released', outcome: 'kept' });
  }

  async #byHand(verb: 'lock' | 'tryLock'): Promise<void> {
    const held = await this.context.locks[verb](this.plan.resource, this.#options);
    if (held === null) return this.#tell({ what: 'ended', outcome: 'busy' });
    await this.#start(held);
    this.#tell({ what: 'released', outcome: await this.#giveBack(held) });
  }

  async #giveBack(held: ChaosHold): Promise<ReleaseOutcome> {
    if (this.plan.ending === 'release') return (await held.release()) ? 'kept' : 'lost';
    await held[Symbol.asyncDispose]();
    return 'disposed';
  }

  #start(held: ChaosHold): Promise<boolean> {
    this.#hold = held;
    this.#working = this.#work(held);
    return this.#working;
  }

  /** True if the hold lasted as long as the work. */
  async #work(held: ChaosHold): Promise<boolean> {
    const watch = new HoldWatch(this.name, held, this.context.journal);
    this.#write('first', held);
    await this.#toil(held);
    this.#write('during', held);
    await this.#toil(held);
    return watch.end();
  }

  async #toil({ signal }: ChaosHold): Promise<void> {
    const { hold, heedsSignal } = this.plan;
    await sleep(hold / 2, undefined, heedsSignal ? { signal } : {}).catch(() => {});
  }

  #failed(error: unknown): void {
    const outcome = outcomeOf(error, this.#impatience.signal);
    const detail = error instanceof Error ? `${error.name}: ${error.message}` : String(error);
    if (this.#hold === undefined) this.#tell({ what: 'ended', outcome, detail });
    else this.#tell({ what: 'released', outcome: outcome === 'lost' ? outcome : 'untyped', detail });
  }

  async #afterwards(): Promise<void> {
    const kept = await this.#working;
    if (this.#hold === undefined) return;
    this.#write('after', this.#hold);
    if (kept) return;
    await sleep(this.plan.staleAfter);
    this.#write('stale', this.#hold);
  }

  get #options(): ChaosLockOptions {
    const { wait, ttl, minHold } = this.plan;
    return {
      ...(wait === Infinity ? {} : { wait }),
      ttl,
      // The library refuses a minHold above the ttl.
      minHold: ttl === 0 ? minHold : Math.min(minHold, ttl),
      signal: this.#impatience.signal,
      owner: this.name,
    };
  }

  #losePatience(): void {
    if (this.#hold === undefined) this.#tell({ what: 'aborting' });
    this.#impatience.abort(new Error(`${this.name} has lost patience`));
  }

  #write(moment: WriteMoment, { resource, fencingToken: token }: ChaosHold): void {
    void this.context.guard.write({ attempt: this.name, resource, moment, token });
  }

  #tell(event: NewAttemptEvent): void {
    this.context.journal.write({ ...event, attempt: this.name });
  }
}
