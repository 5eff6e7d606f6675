import type { FinalState } from '../../history/run-history.js';
import type { Scenario } from '../scenario/scenario.js';
import { DIRECT_SESSION_TIMEOUT_MS } from './direct-access.js';
import { idleStateOf } from './final-state.js';
import type { SimulatedProcess } from './simulated-process.js';
import type { World } from './world.js';

/** How often the end of a phase is checked for, ms. */
const LOOK_MS = 50;
/** What has not ended so long after the last fault never will, ms. */
const PATIENCE_MS = 600_000;
/** How long processes that have nothing to do are left alone: longer than a person waits before a closed lock is freed, ms. */
const IDLE_MS = 5_000;

/** Waits for all calls, looks at what they have left, closes all processes, and gives the servers the time to clean up. */
export class EndOfRun {
  isReached = false;
  /** What was left before the sessions ended; undefined if a process keeps its locks for longer. */
  idleState: FinalState | undefined;

  constructor(
    private readonly world: World,
    private readonly processes: readonly SimulatedProcess[],
  ) {
    this.#when(
      finishOf(world.scenario),
      () => this.#areCallsOver() && this.#jobGoesOn(),
      () => this.#rest(),
    );
  }

  #areCallsOver(): boolean {
    return this.processes.every(({ unfinished }) => unfinished === 0);
  }

  /** The job has been completed after the last fault, if any process is left to do so. */
  #jobGoesOn(): boolean {
    const { scenario } = this.world;
    if (!awaitsJob(scenario)) return true;
    const { quietFrom } = scenario;
    const left = this.processes.filter(({ loop }) => loop !== undefined);
    return left.length === 0 || left.some(({ lastRunAt }) => lastRunAt > quietFrom);
  }

  /** By then, the sessions of processes that were killed have ended too. */
  #rest(): void {
    const { scheduler, scenario } = this.world;
    for (const process of this.processes) process.stopJob();
    const from = Math.max(scheduler.now, scenario.quietFrom + longestSession(scenario));
    this.#when(
      from,
      () => this.#areIdle(),
      () => scheduler.schedule(scheduler.now + IDLE_MS, () => this.#look()),
    );
  }

  #areIdle(): boolean {
    return this.processes.every(({ isIdle }) => isIdle);
  }

  #look(): void {
    const { scheduler, scenario, ensembles } = this.world;
    if (this.#areIdle() && !lingers(scenario)) this.idleState = idleStateOf(ensembles);
    this.#close(scheduler.now);
  }

  #close(now: number): void {
    for (const process of this.processes) process.close('closed');
    this.#when(
      now,
      () => this.processes.every(({ loop }) => loop === undefined),
      () => this.#settle(),
    );
  }

  #settle(): void {
    const { scheduler, scenario } = this.world;
    const hasForeigners = scenario.faults.some(({ fault }) => fault.kind === 'foreign');
    const longest = Math.max(hasForeigners ? DIRECT_SESSION_TIMEOUT_MS : 0, longestSession(scenario));
    // Sessions that were not closed expire first, and then the reaper makes its rounds.
    scheduler.schedule(scheduler.now + longest + 5_000, () => (this.isReached = true));
  }

  /** Looks from `from` on. */
  #when(from: number, condition: () => boolean, then: () => void): void {
    const { scheduler } = this.world;
    const latest = from + PATIENCE_MS;
    const look = (): void => {
      if (condition() || scheduler.now > latest) then();
      else scheduler.schedule(scheduler.now + LOOK_MS, look);
    };
    scheduler.schedule(from, look);
  }
}

/** A clock that was ahead may have completed times that are yet to come: the next one may be too late to wait for. */
export function awaitsJob({ job, faults }: Scenario): boolean {
  return job !== undefined && !faults.some(({ fault }) => fault.kind === 'wallStep');
}

/** The faults are over and the last call has begun, ms. */
export function finishOf({ quietFrom, calls }: Scenario): number {
  return Math.max(quietFrom, (calls.at(-1)?.at ?? 0) + 1);
}

/** How long a session may outlive its process, ms. */
function longestSession({ processes, ensemble }: Scenario): number {
  return Math.max(0, ...processes.map(({ sessionTimeout }) => sessionTimeout)) + 2 * ensemble.tickTime;
}

/** Whether a process has locks that nobody wants when it has been left alone. */
function lingers({ processes }: Scenario): boolean {
  return processes.some(({ linger = 0 }) => linger >= IDLE_MS);
}
