import { setTimeout as sleep } from 'node:timers/promises';
import type { WriteMoment } from '../../history/run-history.js';
import type { NewAttemptEvent, ReleaseOutcome } from '../../history/process-event.js';
import type { AttemptPlan } from '../schedule/attempt-plan.js';
import { attemptOptions } from './attempt-options.js';
import type { ChaosHold, ChaosLockOptions, ChaosLocks } from './chaos-locks.interface.js';
import type { GuardClient } from './guard-client.js';
import { HoldWatch } from './hold-watch.js';
import { outcomeOf } from './outcome.js';
import type { WorkerJournal } from './worker-journal.js';

export interface AttemptContext {
  readonly locks: ChaosLocks;
  readonly guard: GuardClient;
  readonly journal: WorkerJournal;
  /** The defaults of the module, ms. */
  readonly defaults: { readonly wait: number; readonly ttl: number };
  /** Reports that an attempt begins or ends its work under the lock. */
  reportHold(attempt: string, holds: boolean): void;
}

/** Runs one attempt as planned, from its acquisition to its last, possibly stale, write. */
export class AttemptRun {
  readonly #abort = new AbortController();
  #hold: ChaosHold | undefined;
  #working: Promise<boolean> = Promise.resolve(true);

  constructor(
    private readonly name: string,
    private readonly plan: AttemptPlan,
    private readonly context: AttemptContext,
  ) {}

  async run(): Promise<void> {
    this.#recordAsked();
    const { abortAfter, verb } = this.plan;
    const aborts = abortAfter !== undefined && verb !== '@Locked';
    const timer = aborts ? setTimeout(() => this.#abortWait(), abortAfter) : undefined;
    try {
      await (verb === 'lock' || verb === 'tryLock' ? this.#byHand(verb) : this.#around(verb));
    } catch (error) {
      this.#failed(error);
    } finally {
      clearTimeout(timer);
    }
    await this.#writeAfterEnd();
  }

  #recordAsked(): void {
    const { verb, resource } = this.plan;
    const { defaults } = this.context;
    const { wait = verb === 'tryLock' ? 0 : defaults.wait, ttl = defaults.ttl, minHold = 0 } = this.#options;
    this.#record({ what: 'asked', resource, verb, ...(wait === Infinity ? {} : { wait }), ttl, minHold });
  }

  async #around(verb: 'withLock' | '@Locked'): Promise<void> {
    const { locks } = this.context;
    const { resource, locked } = this.plan;
    const work = async (held: ChaosHold): Promise<void> => void (await this.#start(held));
    const { signal, ...options } = this.#options;
    if (verb === 'withLock') await locks.withLock(resource, { ...options, signal }, work);
    else if (!(await locks.callLocked({ ...locked, resource, options }, work)))
      return this.#record({ what: 'ended', outcome: 'skipped' });
    this.#record({ what: 'released', outcome: 'kept' });
  }

  async #byHand(verb: 'lock' | 'tryLock'): Promise<void> {
    const held = await this.context.locks[verb](this.plan.resource, this.#options);
    if (held === null) return this.#record({ what: 'ended', outcome: 'busy' });
    await this.#start(held);
    this.#record({ what: 'released', outcome: await this.#release(held) });
  }

  async #release(held: ChaosHold): Promise<ReleaseOutcome> {
    const { locks } = this.context;
    switch (this.plan.ending) {
      case 'release':
        return (await held.release()) ? 'kept' : 'lost';
      case 'unlock':
        return (await locks.unlock(held)) ? 'kept' : 'lost';
      case 'twice': {
        const [first, second] = await Promise.all([held.release(), locks.unlock(held)]);
        if (first !== second) throw new Error(`two releases returned ${first} and ${second}`);
        return first ? 'kept' : 'lost';
      }
      case 'dispose':
        await held[Symbol.asyncDispose]();
        return 'disposed';
    }
  }

  #start(held: ChaosHold): Promise<boolean> {
    this.#hold = held;
    this.#working = this.#useHold(held);
    return this.#working;
  }

  /** True if the hold was valid until the end of the work. */
  async #useHold(held: ChaosHold): Promise<boolean> {
    const watch = new HoldWatch(this.name, held, this.context.journal);
    this.context.reportHold(this.name, true);
    this.#write('first', held);
    await this.#work(held);
    watch.assert();
    this.#write('during', held);
    await this.#work(held);
    this.context.reportHold(this.name, false);
    return watch.end();
  }

  async #work({ signal }: ChaosHold): Promise<void> {
    const { hold, heedsSignal } = this.plan;
    await sleep(hold / 2, undefined, heedsSignal ? { signal } : {}).catch(() => {});
  }

  #failed(error: unknown): void {
    const outcome = outcomeOf(error, this.#abort.signal);
    const detail = error instanceof Error ? `${error.name}: ${error.message}` : String(error);
    if (this.#hold === undefined) this.#record({ what: 'ended', outcome, detail });
    else this.#record({ what: 'released', outcome: outcome === 'lost' ? outcome : 'untyped', detail });
  }

  async #writeAfterEnd(): Promise<void> {
    const kept = await this.#working;
    if (this.#hold === undefined) return;
    this.#write('after', this.#hold);
    if (kept) return;
    await sleep(this.plan.staleAfter);
    this.#write('stale', this.#hold);
  }

  get #options(): ChaosLockOptions {
    return attemptOptions(this.name, this.plan, this.context.defaults, this.#abort.signal);
  }

  #abortWait(): void {
    if (this.#hold === undefined) this.#record({ what: 'aborting' });
    this.#abort.abort(new Error(`${this.name} was aborted by its caller`));
  }

  #write(moment: WriteMoment, { resource, fencingToken: token }: ChaosHold): void {
    void this.context.guard.write({ attempt: this.name, resource, moment, token });
  }

  #record(event: NewAttemptEvent): void {
    this.context.journal.write({ ...event, attempt: this.name });
  }
}
