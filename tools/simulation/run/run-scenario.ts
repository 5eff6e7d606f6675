import { EXACT } from '../../history/precision.js';
import { nanoseconds } from '../../history/moments.js';
import type { RunHistory } from '../../history/run-history.js';
import type { Scenario } from '../scenario/scenario.js';
import { finalStateOf } from './final-state.js';
import { Injector } from '../faults/injector.js';
import { DirectAccess } from './direct-access.js';
import { awaitsJob, EndOfRun, finishOf } from './end-of-run.js';
import { Foreigners } from './foreigners.js';
import { Operator } from './operator.js';
import { Person } from './person.js';
import { SimulatedProcess } from './simulated-process.js';
import { createWorld, type World } from './world.js';

/** Processes start within this time, ms. */
const START_MS = 500;
/** How often all open holds are checked, ms. */
const CHECK_MS = 50;
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
  const injector = new Injector({ world, processes, access, operator, foreigners });

  for (const name of ensembles.names) ensembles.of(name).start(name);
  const starts = random.fork('starts');
  for (const process of processes.values())
    scheduler.schedule(starts.between(0, START_MS), () => process.start());
  for (const call of scenario.calls)
    scheduler.schedule(call.at, () => processes.get(call.process)?.call(call));
  for (const request of scenario.requests ?? [])
    scheduler.schedule(request.at, () => processes.get(request.process)?.request(request));
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
    history: historyOf(world, [...processes.values()], { injector, person, foreigners, end }),
    events: scheduler.executed,
  };
}

interface Others {
  readonly injector: Injector;
  readonly person: Person;
  readonly foreigners: Foreigners;
  readonly end: EndOfRun;
}

function historyOf(
  world: World,
  processes: readonly SimulatedProcess[],
  { injector, person, foreigners, end }: Others,
): RunHistory {
  const { scenario, scheduler, recorder, guard, ensembles } = world;
  for (const process of processes) process.abandon();
  const ours = processes.flatMap(({ incarnations }) => incarnations);
  return {
    run: {
      seed: scenario.seed,
      precision: EXACT,
      lock: 'real',
      emitsEvents: true,
      servers: ensembles.names.length,
      resources: scenario.resources,
      awaitsJob: awaitsJob(scenario),
      tickTime: scenario.ensemble.tickTime,
      startedAt: 0n,
      quietFrom: nanoseconds(scenario.quietFrom),
      finishAt: nanoseconds(finishOf(scenario)),
      endedAt: nanoseconds(scheduler.now),
    },
    incarnations: [...ours, ...foreigners.incarnations],
    events: recorder.events,
    writes: guard.writes,
    faults: injector.records,
    freed: person.freed,
    serverEvents: [],
    finalState: finalStateOf(ensembles, ours, end.idleState),
  };
}
