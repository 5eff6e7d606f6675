import type { NewAttemptEvent, ReleaseOutcome } from '../history/process-event.js';
import type { WriteMoment } from '../history/run-history.js';
import type { AttemptContext } from './attempt-context.interface.js';
import type { AttemptPlan } from './attempt-plan.js';
import { attemptOptions } from './attempt-options.js';
import { HoldWatch } from './hold-watch.js';
import { outcomeOf } from './outcome.js';
import { sleep } from './sleep.js';
import type { TestedHold, TestedLockOptions, Work } from './tested-locks.interface.js';

/** Runs one attempt as planned, from its acquisition to its last, possibly stale, write. */
export class AttemptRun {
  readonly #abort = new AbortController();
  #hold: TestedHold | undefined;
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
    const timer = aborts ? this.context.clock.setTimer(() => this.#abortWait(), abortAfter, true) : undefined;
    try {
      await (verb === 'lock' || verb === 'tryLock' ? this.#byHand(verb) : this.#around(verb));
    } catch (error) {
      this.#failed(error);
    } finally {
      timer?.cancel();
    }
    await this.#writeAfterEnd();
  }

  #recordAsked(): void {
    const { verb, resource } = this.plan;
    const { defaults } = this.context;
    const {
      wait = verb === 'tryLock' ? 0 : defaults.wait,
      ttl = defaults.ttl,
      minHold = 0,
      permits,
      mode = permits === undefined ? 'exclusive' : 'semaphore',
    } = this.#options;
    this.#record({
      what: 'asked',
      resource,
      verb,
      mode,
      ...(permits === undefined ? {} : { permits }),
      ...(wait === Infinity ? {} : { wait }),
      ttl,
      minHold,
    });
  }

  async #around(verb: 'withLock' | '@Locked'): Promise<void> {
    const work = async (held: TestedHold): Promise<void> => void (await this.#start(held));
    if (verb === 'withLock') await this.context.locks.withLock(this.plan.resource, this.#options, work);
    else if (!(await this.#callLocked(work))) return this.#record({ what: 'ended', outcome: 'skipped' });
    this.#record({ what: 'released', outcome: 'kept' });
  }

  async #callLocked(work: Work): Promise<boolean> {
    const { locks } = this.context;
    const { resource, locked = { key: 'text' } } = this.plan;
    const { signal: _signal, ...options } = this.#options;
    if (locks.callLocked === undefined) throw new Error('There is no @Locked outside an application');
    return locks.callLocked({ ...locked, resource, options }, work);
  }

  async #byHand(verb: 'lock' | 'tryLock'): Promise<void> {
    const held = await this.context.locks[verb](this.plan.resource, this.#options);
    if (held === null) return this.#record({ what: 'ended', outcome: 'busy' });
    await this.#start(held);
    this.#record({ what: 'released', outcome: await this.#release(held) });
  }

  async #release(held: TestedHold): Promise<ReleaseOutcome> {
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

  #start(held: TestedHold): Promise<boolean> {
    this.#hold = held;
    this.#working = this.#useHold(held);
    return this.#working;
  }

  /** True if the hold was valid until the end of the work. */
  async #useHold(held: TestedHold): Promise<boolean> {
    const watch = new HoldWatch(this.name, held, this.context);
    this.context.reportHold(this.name, true);
    this.#write('first', held);
    await this.#work(held);
    watch.assert();
    this.#write('during', held);
    await this.#work(held);
    this.context.reportHold(this.name, false);
    return watch.end();
  }

  async #work({ signal }: TestedHold): Promise<void> {
    const { hold, heedsSignal } = this.plan;
    await sleep(this.context.clock, hold / 2, heedsSignal ? signal : undefined);
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
    await sleep(this.context.clock, this.plan.staleAfter);
    this.#write('stale', this.#hold);
  }

  get #options(): TestedLockOptions {
    return attemptOptions(this.name, this.plan, this.context.defaults, this.#abort.signal);
  }

  #abortWait(): void {
    if (this.#hold === undefined) this.#record({ what: 'aborting' });
    this.#abort.abort(new Error(`${this.name} was aborted by its caller`));
  }

  /** Who shares the lock changes nothing. */
  #write(moment: WriteMoment, { resource, fencingToken: token }: TestedHold): void {
    if (this.plan.mode === 'read' || this.plan.mode === 'semaphore') return;
    void this.context.guard.write({ attempt: this.name, resource, moment, token });
  }

  #record(event: NewAttemptEvent): void {
    this.context.journal.write({ ...event, attempt: this.name });
  }
}
