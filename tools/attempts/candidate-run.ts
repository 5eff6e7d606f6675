import type { Timer } from '../../lib/locking/clock.js';
import { LockFairnessError } from '../../lib/locking/errors/lock-fairness.error.js';
import { nameOfCandidate, roundOf } from '../history/names.js';
import type { NewAttemptEvent, Outcome } from '../history/process-event.js';
import type { WriteMoment } from '../history/run-history.js';
import type { AttemptContext } from './attempt-context.interface.js';
import { attemptOptions } from './attempt-options.js';
import type { AttemptPlan } from './attempt-plan.js';
import { HoldWatch } from './hold-watch.js';
import { detailOf } from './outcome.js';
import { sleep } from './sleep.js';
import type { AddCandidate, Candidate, TestedHold } from './tested-locks.interface.js';

/** How long work goes on that does not heed its signal, ms. */
const LONGEST_WORK_MS = 1_000;

/** A leadership that has not ended. */
interface Leadership {
  readonly held: TestedHold;
  readonly watch: HoldWatch;
}

/**
 * Runs one candidate. It is told whether it leads; or, if its plan says so, it has work that runs while it leads. It leaves `hold` ms
 * after the beginning of its first leadership, or after `wait` ms without one. Each round of waiting and leading is an attempt.
 */
export class CandidateRun implements Candidate {
  readonly #writes: Promise<void>[] = [];
  #round = 0;
  #leadership: Leadership | undefined;
  #follows = true;
  #hasLeft = false;
  #leave: () => void = () => {};
  #timer: Timer | undefined;
  #over: () => void = () => {};

  constructor(
    private readonly name: string,
    private readonly plan: AttemptPlan,
    private readonly context: AttemptContext,
    private readonly add: AddCandidate,
  ) {}

  async run(): Promise<void> {
    const { resource, wait = Infinity } = this.plan;
    const over = new Promise<void>((resolve) => (this.#over = resolve));
    const signal = new AbortController().signal;
    const known = nameOfCandidate(this.name);
    const { owner, purpose } = attemptOptions(known, this.plan, this.context.defaults, signal);
    this.#ask();
    this.#leave = this.add(resource, { owner, purpose }, this);
    if (wait !== Infinity) this.#leaveAfter(wait);
    await over;
    this.#timer?.cancel();
    await Promise.all(this.#writes);
  }

  leads(held: TestedHold): Promise<void> {
    if (this.#leadership !== undefined) this.#unexpected('leads before its last leadership has ended');
    if (this.#round === 1) this.#leaveAfter(this.plan.hold);
    this.#follows = false;
    const watch = new HoldWatch(this.#attempt, held, held.signal, this.context);
    this.#leadership = { held, watch };
    this.context.reportHold(nameOfCandidate(this.name), true);
    this.#write('first', held);
    return this.#untilCeased(held);
  }

  follows(): void {
    this.#follows = true;
  }

  ended(error?: unknown): void {
    if (this.#hasLeft && error === undefined) return this.#over();
    if (error === undefined) this.#record({ what: 'ended', outcome: 'closed' });
    else this.#record({ what: 'ended', outcome: outcomeOfCandidate(error), detail: detailOf(error) });
    this.#over();
  }

  #leaveAfter(ms: number): void {
    this.#timer?.cancel();
    this.#timer = this.context.clock.setTimer(() => this.#leaveNow(), ms, true);
  }

  #leaveNow(): void {
    this.#hasLeft = true;
    const waits = this.#leadership === undefined;
    this.#leave();
    if (waits) this.#record({ what: 'ended', outcome: 'aborted' });
    if (this.plan.works === true) return;
    if (this.#leadership !== undefined) this.#unexpected('has left and still leads');
    this.#over();
  }

  /** Who has no work ceases to lead in the moment in which it is told. */
  #untilCeased({ signal }: TestedHold): Promise<void> {
    const { works, heedsSignal, staleAfter } = this.plan;
    return new Promise((resolve) => {
      const cease = (): void => {
        this.#ceased();
        resolve();
      };
      const late = works === true && !heedsSignal;
      const react = (): void =>
        late ? void this.context.clock.setTimer(cease, Math.min(staleAfter, LONGEST_WORK_MS), true) : cease();
      signal.addEventListener('abort', react, { once: true });
    });
  }

  #ceased(): void {
    const leadership = this.#leadership;
    if (leadership === undefined) return;
    this.#leadership = undefined;
    const { held, watch } = leadership;
    if (this.plan.works !== true && !this.#follows && !this.#hasLeft)
      this.#unexpected('was not told that it ceases to lead');
    this.context.reportHold(nameOfCandidate(this.name), false);
    // The library frees the lock right after that, and tells nobody when it is free.
    const kept = watch.end();
    this.#record({ what: 'released', outcome: kept ? 'disposed' : 'lost' });
    this.#write('after', held);
    if (!kept) this.#writes.push(this.#writeStale(held));
    if (!this.#hasLeft) this.#ask();
  }

  async #writeStale(held: TestedHold): Promise<void> {
    const { clock } = this.context;
    const attempt = this.#attempt;
    await sleep(clock, this.plan.staleAfter);
    this.#write('stale', held, attempt);
  }

  #ask(): void {
    this.#round += 1;
    const { resource } = this.plan;
    this.#record({ what: 'asked', resource, verb: 'lead', mode: 'exclusive', ttl: 0, minHold: 0 });
  }

  #write(moment: WriteMoment, held: TestedHold, attempt = this.#attempt): void {
    const { resource, fencingToken: token } = held;
    void this.context.guard.write({ attempt, resource, moment, token });
  }

  #unexpected(what: string): void {
    this.#record({ what: 'ended', outcome: 'untyped', detail: what });
  }

  #record(event: NewAttemptEvent): void {
    this.context.journal.write({ ...event, attempt: this.#attempt });
  }

  get #attempt(): string {
    return roundOf(this.name, this.#round);
  }
}

/** A candidate can fail for good, which those of a test should not, or because others do not queue. */
function outcomeOfCandidate(error: unknown): Outcome {
  return error instanceof LockFairnessError ? 'otherFairness' : 'untyped';
}
