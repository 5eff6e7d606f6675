import type { Timer } from '../../lib/locking/clock.js';
import type { NewAttemptEvent, ReleaseOutcome } from '../history/process-event.js';
import type { WriteMoment } from '../history/run-history.js';
import type { AttemptContext } from './attempt-context.interface.js';
import { isAround, nestedPlanOf, type AttemptPlan } from './attempt-plan.js';
import { attemptOptions } from './attempt-options.js';
import { nestedIn } from '../history/names.js';
import { holdOf, lockNamesOf, partsOf, type AttemptPart } from './attempt-parts.js';
import { HoldWatch } from './hold-watch.js';
import { detailOf, outcomeOf } from './outcome.js';
import { sleep } from './sleep.js';
import type { TestedHeld, TestedLockOptions, Work } from './tested-locks.interface.js';

class WorkError extends Error {}

/** Runs one attempt as planned, from its acquisition to its last, possibly stale, write. */
export class AttemptRun {
  readonly #abort = new AbortController();
  readonly #parts: readonly AttemptPart[];
  #held: TestedHeld | undefined;
  #watches: readonly HoldWatch[] = [];
  #working: Promise<boolean> = Promise.resolve(true);
  #nested: Promise<void> = Promise.resolve();

  /** @param outers those in whose work the call is made, the innermost first */
  constructor(
    private readonly name: string,
    private readonly plan: AttemptPlan,
    private readonly context: AttemptContext,
    private readonly outers: readonly AttemptRun[] = [],
  ) {
    this.#parts = partsOf(name, plan);
  }

  async run(): Promise<void> {
    this.#recordAsked();
    const { clock, aborts } = this.context;
    const { abortAfter, verb } = this.plan;
    const isTimed = abortAfter !== undefined && verb !== '@Locked';
    const timer = isTimed ? clock.setTimer(() => this.#abortWait(), abortAfter, true) : undefined;
    aborts?.set(this.name, () => this.#abortWait());
    try {
      await (isAround(verb) ? this.#around(verb) : this.#byHand(verb === 'tryLock' ? verb : 'lock'));
    } catch (error) {
      this.#failed(error);
    } finally {
      timer?.cancel();
      aborts?.delete(this.name);
    }
    await this.#writeAfterEnd();
    await this.#nested;
  }

  #recordAsked(): void {
    const { verb, resource: asked } = this.plan;
    const { defaults } = this.context;
    const outer = this.outers.map((around) => around.#attemptFor(asked)).find((name) => name !== undefined);
    const {
      wait = verb === 'tryLock' ? 0 : defaults.wait,
      ttl = defaults.ttl,
      minHold = 0,
      maxWaiters = Infinity,
      permits,
      fair = true,
      failure = 'open',
      owner,
      mode = permits === undefined ? 'exclusive' : 'semaphore',
    } = this.#options;
    const terms = {
      verb,
      mode,
      ...(permits === undefined ? {} : { permits }),
      ...(fair ? {} : { fair }),
      ...(failure === 'open' ? {} : { failure, owner }),
      ...(wait === Infinity ? {} : { wait }),
      ...(maxWaiters === Infinity ? {} : { maxWaiters }),
      ttl,
      minHold,
      ...(outer === undefined ? {} : { nestedIn: outer }),
    };
    for (const { attempt, resource } of this.#parts)
      this.context.journal.write({ what: 'asked', attempt, resource, ...terms });
  }

  async #around(verb: 'withLock' | '@Locked'): Promise<void> {
    const work = async (held: TestedHeld): Promise<void> => {
      await this.#start(held);
      if (this.plan.throws === true) throw new WorkError();
    };
    if (verb === 'withLock') await this.context.locks.withLock(lockNamesOf(this.plan), this.#options, work);
    else if (!(await this.#callLocked(work))) return this.#record({ what: 'ended', outcome: 'skipped' });
    if (this.plan.throws === true) throw new Error('the error of the work got lost');
    this.#released('kept');
  }

  async #callLocked(work: Work): Promise<boolean> {
    const { locks } = this.context;
    const { resource, locked = { key: 'text' } } = this.plan;
    const { signal: _signal, ...options } = this.#options;
    if (locks.callLocked === undefined) throw new Error('There is no @Locked outside an application');
    return locks.callLocked({ ...locked, resource, options }, work);
  }

  async #byHand(verb: 'lock' | 'tryLock'): Promise<void> {
    const held = await this.context.locks[verb](lockNamesOf(this.plan), this.#options);
    if (held === null) return this.#record({ what: 'ended', outcome: 'busy' });
    await this.#start(held);
    this.#released(await this.#release(held));
  }

  async #release(held: TestedHeld): Promise<ReleaseOutcome> {
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
      case 'apart': {
        // In one turn: if the first release were awaited, the other locks could be lost after the recorded end of the work.
        const alone = holdOf(held, this.#parts.at(-1)!.resource).release();
        const [all, one] = await Promise.all([held.release(), alone]);
        return all && one ? 'kept' : 'lost';
      }
      case 'dispose':
        await held[Symbol.asyncDispose]();
        return 'disposed';
    }
  }

  #start(held: TestedHeld): Promise<boolean> {
    this.#held = held;
    this.#working = this.#useHold(held);
    return this.#working;
  }

  /** True if the hold was valid until the end of the work. */
  async #useHold(held: TestedHeld): Promise<boolean> {
    this.#watches = this.#parts.map(
      ({ attempt, resource }) => new HoldWatch(attempt, holdOf(held, resource), held.signal, this.context),
    );
    this.#reportHold(true);
    const extension = this.#extendLater();
    this.#write('first', held);
    await this.#workUntilNested(held);
    for (const watch of this.#watches) watch.assert();
    this.#write('during', held);
    this.#nest();
    if (this.plan.nested?.outlives === false) await this.#nested;
    await this.#work(held);
    extension?.cancel();
    this.#reportHold(false);
    return this.#watches.map((watch) => watch.end()).every(Boolean);
  }

  #extendLater(): Timer | undefined {
    const { extension } = this.plan;
    if (extension === undefined) return undefined;
    const extend = (): void => {
      for (const watch of this.#watches) watch.extend(extension.ttl);
    };
    return this.context.clock.setTimer(extend, extension.after, true);
  }

  /** Only work that a call runs itself is known to be under its lock. */
  #nest(): void {
    const { verb, nested } = this.plan;
    if (nested === undefined || !isAround(verb)) return;
    const plan = nestedPlanOf([this.plan, ...this.outers.map((outer) => outer.plan)], nested);
    this.#nested = new AttemptRun(nestedIn(this.name), plan, this.context, [this, ...this.outers]).run();
  }

  /** Undefined if this call does not ask for that lock. */
  #attemptFor(resource: string): string | undefined {
    return this.#parts.find((part) => part.resource === resource)?.attempt;
  }

  async #workUntilNested(held: TestedHeld): Promise<void> {
    const middle = this.#work(held);
    const expiry = this.plan.nested?.atExpiry === true ? this.context.sessionExpired?.() : undefined;
    await (expiry === undefined ? middle : Promise.race([middle, expiry]));
  }

  async #work({ signal }: TestedHeld): Promise<void> {
    const { hold, heedsSignal } = this.plan;
    await sleep(this.context.clock, hold / 2, heedsSignal ? signal : undefined);
  }

  #failed(error: unknown): void {
    const outcome = outcomeOf(error, this.#abort.signal);
    const detail = detailOf(error);
    if (this.#held === undefined) this.#record({ what: 'ended', outcome, detail });
    // The call does not tell what became of the hold.
    else if (error instanceof WorkError) this.#released('disposed');
    else this.#released(outcome === 'lost' ? outcome : 'untyped', detail);
  }

  #released(outcome: ReleaseOutcome, detail?: string): void {
    this.#record({ what: 'released', outcome, ...(detail === undefined ? {} : { detail }) });
    for (const watch of this.#watches) watch.afterRelease();
  }

  async #writeAfterEnd(): Promise<void> {
    const kept = await this.#working;
    if (this.#held === undefined) return;
    this.#write('after', this.#held);
    if (kept) return;
    await sleep(this.context.clock, this.plan.staleAfter);
    this.#write('stale', this.#held);
  }

  get #options(): TestedLockOptions {
    return attemptOptions(this.name, this.plan, this.context.defaults, this.#abort.signal);
  }

  #abortWait(): void {
    if (this.#abort.signal.aborted) return;
    if (this.#held === undefined) this.#record({ what: 'aborting' });
    this.#abort.abort(new Error(`${this.name} was aborted by its caller`));
  }

  /** Who shares the lock changes nothing. */
  #write(moment: WriteMoment, held: TestedHeld): void {
    if (this.plan.mode === 'read' || this.plan.mode === 'semaphore') return;
    for (const { attempt, resource } of this.#parts) {
      const { fencingToken: token } = holdOf(held, resource);
      void this.context.guard.write({ attempt, resource, moment, token });
    }
  }

  #reportHold(holds: boolean): void {
    for (const { attempt } of this.#parts) this.context.reportHold(attempt, holds);
  }

  #record(event: NewAttemptEvent): void {
    for (const { attempt } of this.#parts) this.context.journal.write({ ...event, attempt });
  }
}
