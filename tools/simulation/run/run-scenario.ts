import { EXACT } from '../../history/precision.js';
import { nanoseconds } from '../../history/moments.js';
import type { RunHistory } from '../../history/run-history.js';
import type { Scenario } from '../scenario/scenario.js';
import { finalStateOf } from './final-state.js';
import { Injector } from '../faults/injector.js';
import { DIRECT_SESSION_TIMEOUT_MS, DirectAccess } from './direct-access.js';
import { Foreigners } from './foreigners.js';
import { Operator } from './operator.js';
import { Person } from './person.js';
import { SimulatedProcess } from './simulated-process.js';
import { createWorld, type World } from './world.js';

/** Processes start within this time, ms. */
const START_MS = 500;
/** How often the end of a phase is checked for, ms. */
const LOOK_MS = 50;
/** How often all open holds are checked, ms. */
const CHECK_MS = 50;
/** What has not ended so long after the last fault never will, ms. */
const PATIENCE_MS = 600_000;

/** A run that has ended. */
export interface SimulatedRun {
  readonly history: RunHistory;
  /** How many events the scheduler has executed. */
  readonly events: number;
}

/** Runs a scenario to its end. The same scenario always has the same history. */
export async function runScenario(scenario: Scenario): Promise<SimulatedRun> {
  const world = createWorld(scenario);
  const { scheduler, ensembles, random } = world;
  const processes = new Map(scenario.processes.map((plan) => [plan.name, new SimulatedProcess(plan, world)]));
  const access = new DirectAccess(ensembles);
  const operator = new Operator(access);
  const foreigners = new Foreigners(world, access);
  const injector = new Injector({ world, processes, operator, foreigners });

  for (const name of ensembles.names) ensembles.of(name).start(name);
  const starts = random.fork('starts');
  for (const process of processes.values())
    scheduler.schedule(starts.between(0, START_MS), () => process.start());
  for (const call of scenario.calls)
    scheduler.schedule(call.at, () => processes.get(call.process)?.call(call));
  for (const planned of scenario.faults) scheduler.schedule(planned.at, () => injector.inject(planned));

  const check = (): void => {
    world.recorder.checkAll();
    scheduler.schedule(scheduler.now + CHECK_MS, check);
  };
  scheduler.schedule(CHECK_MS, check);
  const person = new Person(world, [...processes.values()], operator);

  const end = new EndOfRun(world, [...processes.values()]);
  await scheduler.run(() => end.isReached);
  return {
    history: historyOf(world, [...processes.values()], { injector, person, foreigners }),
    events: scheduler.executed,
  };
}

/** Waits for all calls, closes all processes, and gives the servers the time to clean up. */
class EndOfRun {
  isReached = false;

  constructor(
    private readonly world: World,
    private readonly processes: readonly SimulatedProcess[],
  ) {
    const { scheduler, scenario } = world;
    this.#when(
      finishOf(scenario),
      () => this.processes.every(({ unfinished }) => unfinished === 0) && this.#jobGoesOn(),
      () => this.#close(scheduler.now),
    );
  }

  /** The job has been completed after the last fault, or will not be so soon, because a clock was ahead. */
  #jobGoesOn(): boolean {
    const { job, faults, quietFrom } = this.world.scenario;
    if (job === undefined || faults.some(({ fault }) => fault.kind === 'wallStep')) return true;
    const left = this.processes.filter(({ loop }) => loop !== undefined);
    return left.length === 0 || left.some(({ lastRunAt }) => lastRunAt > quietFrom);
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
    const { tickTime } = scenario.ensemble;
    const hasForeigners = scenario.faults.some(({ fault }) => fault.kind === 'foreign');
    const longest = Math.max(
      hasForeigners ? DIRECT_SESSION_TIMEOUT_MS : 0,
      ...scenario.processes.map(({ sessionTimeout }) => sessionTimeout),
    );
    // Sessions that were not closed expire first, and then the reaper makes its rounds.
    scheduler.schedule(scheduler.now + longest + 2 * tickTime + 5_000, () => (this.isReached = true));
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

/** The faults are over and the last call has begun, ms. */
function finishOf({ quietFrom, calls }: Scenario): number {
  return Math.max(quietFrom, (calls.at(-1)?.at ?? 0) + 1);
}

interface Others {
  readonly injector: Injector;
  readonly person: Person;
  readonly foreigners: Foreigners;
}

function historyOf(
  world: World,
  processes: readonly SimulatedProcess[],
  { injector, person, foreigners }: Others,
): RunHistory {
  const { scenario, scheduler, recorder, guard, ensembles } = world;
  for (const process of processes) process.abandon();
  return {
    run: {
      seed: scenario.seed,
      precision: EXACT,
      lock: 'real',
      emitsEvents: true,
      servers: ensembles.names.length,
      resources: scenario.resources,
      hasJob: scenario.job !== undefined,
      tickTime: scenario.ensemble.tickTime,
      startedAt: 0n,
      quietFrom: nanoseconds(scenario.quietFrom),
      finishAt: nanoseconds(finishOf(scenario)),
      endedAt: nanoseconds(scheduler.now),
    },
    incarnations: [...processes.flatMap(({ incarnations }) => incarnations), ...foreigners.incarnations],
    events: recorder.events,
    writes: guard.writes,
    faults: injector.records,
    freed: person.freed,
    serverEvents: [],
    finalState: finalStateOf(ensembles),
  };
}
