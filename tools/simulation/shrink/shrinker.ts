import { longestEffect, type PlannedFault } from '../scenario/fault.js';
import type { Scenario } from '../scenario/scenario.js';
import { milliseconds } from '../../history/moments.js';
import { hasFailure, tryScenario, type Trial } from '../trial/trial.js';
import { ddmin } from './ddmin.js';
import { simplerScenarios } from './simpler-scenarios.js';
import { requestsOf, withoutProcesses } from './without-hosts.js';

/** A fault or a call that comes so long after a violation has no part in it, ms. */
const AFTERMATH_MS = 1;

/** Reduces a scenario to one that still fails in the same way, with the same seed. */
export class Shrinker {
  #trials = 0;
  #smallest: Scenario;

  /** @param isLate if it returns true, the smallest scenario so far is the result */
  constructor(
    scenario: Scenario,
    private readonly failure: string,
    private readonly isLate: () => boolean,
    private readonly run: (scenario: Scenario) => Promise<Trial> = tryScenario,
  ) {
    this.#smallest = scenario;
  }

  /** How many scenarios it has run. */
  get trials(): number {
    return this.#trials;
  }

  async shrink(first: Trial): Promise<Scenario> {
    await this.#cutOff(first);
    for (let before = ''; before !== JSON.stringify(this.#smallest) && !this.isLate();) {
      before = JSON.stringify(this.#smallest);
      await this.#list('faults');
      await this.#list('calls');
      await this.#list('requests');
      await this.#processes();
      await this.#simplify();
    }
    return this.#smallest;
  }

  /** Drops what comes after the violation, as most of a run does. */
  async #cutOff({ verdict }: Trial): Promise<void> {
    const first = verdict.violations.find(({ invariant }) => invariant === this.failure);
    if (first === undefined) return;
    const end = milliseconds(first.at) + AFTERMATH_MS;
    const { calls, faults } = this.#smallest;
    await this.#accept({
      ...this.#smallest,
      calls: calls.filter(({ at }) => at <= end),
      faults: faults.filter(({ at }) => at <= end),
      ...requestsOf(this.#smallest, ({ at }) => at <= end),
    });
    await this.#endEarly();
  }

  async #list(name: 'faults' | 'calls' | 'requests'): Promise<void> {
    const items: readonly unknown[] | undefined = this.#smallest[name];
    if (items === undefined) return;
    await ddmin(items, (left) => this.#accept({ ...this.#smallest, [name]: left }), this.isLate);
    await this.#endEarly();
  }

  async #processes(): Promise<void> {
    const names = this.#smallest.processes.map(({ name }) => name);
    await ddmin(names, (left) => this.#accept(withoutProcesses(this.#smallest, left)), this.isLate);
  }

  async #simplify(): Promise<void> {
    for (const simpler of simplerScenarios) {
      for (const candidate of simpler(this.#smallest)) {
        if (this.isLate()) return;
        const simplified = candidate(this.#smallest);
        // What is as simple as that needs no run.
        if (JSON.stringify(simplified) !== JSON.stringify(this.#smallest)) await this.#accept(simplified);
      }
    }
  }

  /** The quiet period starts when the last fault is over. */
  async #endEarly(): Promise<void> {
    const { faults, quietFrom } = this.#smallest;
    const end = Math.max(1, ...faults.map(endOf));
    if (end < quietFrom) await this.#accept({ ...this.#smallest, quietFrom: end });
  }

  async #accept(candidate: Scenario): Promise<boolean> {
    this.#trials += 1;
    const fails = await this.#fails(candidate);
    if (fails) this.#smallest = candidate;
    return fails;
  }

  /** One that cannot be run at all fails in another way. */
  async #fails(candidate: Scenario): Promise<boolean> {
    try {
      return hasFailure(await this.run(candidate), this.failure);
    } catch {
      return false;
    }
  }
}

function endOf({ at, fault }: PlannedFault): number {
  return at + longestEffect(fault) + 1;
}
