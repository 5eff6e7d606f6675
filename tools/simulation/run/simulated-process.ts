import type { Incarnation } from '../../history/run-history.js';
import type { PlannedCall, PlannedRequest, ProcessPlan } from '../scenario/scenario.js';
import type { EventLoop } from '../world/event-loop.js';
import type { SeenHold } from './force-lock.js';
import { RunningProcess } from './running-process.js';
import type { World } from './world.js';

/** When a process that could not be started is tried again, ms. */
const RESTART_MS = 1_000;

/** A process of a run, from one incarnation to the next. */
export class SimulatedProcess {
  readonly incarnations: Incarnation[] = [];
  #running: RunningProcess | undefined;
  #started = 0;
  /** It was started while it closed, or could not be started. */
  #startsAgain = false;
  /** Calls after the last fault that wait for that start: they show whether everything works again. */
  #late: PlannedCall[] = [];
  /** It is not started again. */
  #isOver = false;

  constructor(
    private readonly plan: ProcessPlan,
    private readonly world: World,
  ) {}

  get name(): string {
    return this.plan.name;
  }

  /** The thread of the current incarnation. */
  get loop(): EventLoop | undefined {
    return this.#running?.loop;
  }

  /** Its lock service can be used. */
  get isOpen(): boolean {
    return this.#open !== undefined;
  }

  /** Calls that have not ended. */
  get unfinished(): number {
    return (this.#running?.unfinished ?? 0) + this.#late.length;
  }

  /** When the last run of the scheduled job was completed here, ms; negative if none was. */
  get lastRunAt(): number {
    return this.#running?.lastRunAt ?? -Infinity;
  }

  /** Neither calls nor runs of the job. */
  get isIdle(): boolean {
    return this.unfinished === 0 && this.#running?.isIdle !== false;
  }

  /** If it is closing, it starts when it has ended. */
  start(): void {
    if (this.#running !== undefined) {
      this.#startsAgain = this.#running.isClosing;
      return;
    }
    if (this.#isOver) return;
    this.#started += 1;
    this.#running = new RunningProcess(this.plan, this.#started, this.world, (end) => this.#ended(end));
    this.#startsAgain = false;
    const late = this.#late;
    this.#late = [];
    for (const call of late) this.call(call);
  }

  call(call: PlannedCall): void {
    if (this.#startsAgain && call.at >= this.world.scenario.quietFrom) this.#late.push(call);
    this.#open?.call(call);
  }

  /** Asks the holders of a lock to release it, or changes its number of permits. */
  request(plan: PlannedRequest): void {
    this.#open?.request(plan);
  }

  /**
   * A person frees a closed lock with the service of the application. Calls `freed` when the servers have answered. False if
   * the service cannot be used.
   */
  force(hold: SeenHold, freed: () => void): boolean {
    this.#open?.force(hold, freed);
    return this.isOpen;
  }

  /** The caller gives up. False if it has its answer. */
  abort(call: string): boolean {
    return this.#running?.abort(call) === true;
  }

  /** The job has no further runs. */
  stopJob(): void {
    this.#running?.stopJob();
  }

  /** SIGKILL. */
  kill(): void {
    if (this.#running === undefined) return;
    this.#running.kill();
    this.#ended('killed');
  }

  /** Closes the lock service, and then ends; with `closed`, for good. */
  close(end: 'shutDown' | 'closed'): void {
    this.#isOver = end === 'closed';
    this.#open?.close(end);
  }

  /** It has not ended by itself. */
  abandon(): void {
    if (this.#running !== undefined) this.#ended('stuck');
  }

  get #open(): RunningProcess | undefined {
    return this.#running?.isClosing === false ? this.#running : undefined;
  }

  #ended(end: Incarnation['end'] | 'notStarted'): void {
    const { scheduler } = this.world;
    this.incarnations.push(this.#running!.record(end === 'notStarted' ? 'shutDown' : end));
    this.#running = undefined;
    if (end === 'notStarted') {
      this.#startsAgain = true;
      scheduler.schedule(scheduler.now + RESTART_MS, () => this.start());
    } else if (this.#startsAgain && end === 'shutDown') {
      this.start();
    } else {
      this.#startsAgain = false;
      this.#late = [];
    }
  }
}
