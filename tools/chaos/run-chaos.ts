import { setTimeout as delay } from 'node:timers/promises';
import { FaultLog } from './faults/fault-log.js';
import { Injector } from './faults/injector.js';
import { byTime, nanoseconds } from '../history/moments.js';
import { REAL_TIME } from '../history/precision.js';
import type { ChaosHistory } from './chaos-history.js';
import { inOrder, scheduleHash, type Schedule } from './schedule/schedule.js';
import type { ScheduleOptions } from './schedule/setting.js';
import { inspectFinalState } from './cluster/inspect-final-state.js';
import { ChaosCluster, ROOT } from './cluster/chaos-cluster.js';
import { Person } from './cluster/person.js';
import type { LockName } from './worker/worker-protocol.js';

/** Without a crowd, ms. */
const FINISH_MS = 120_000;

/** The longest time that processes may need to finish, ms: each queue has to drain, one hold at a time. */
export function finishMs({ crowd = 1 }: ScheduleOptions): number {
  return crowd * FINISH_MS;
}

/**
 * Runs a schedule: processes use locks under faults, then undisturbed, then finish. Resolves with the history, after all
 * processes have exited. Rejects if `signal` aborts, also after all processes have exited.
 */
export async function runChaos(
  schedule: Schedule,
  lock: LockName,
  signal: AbortSignal,
  print: (line: string) => void = () => {},
): Promise<ChaosHistory> {
  const { options, setting, faults } = schedule;
  await using cluster = await ChaosCluster.open(schedule, lock);
  signal.throwIfAborted();

  const log = new FaultLog();
  const startedAt = process.hrtime.bigint();
  await using person = await Person.come({
    connectString: cluster.ensemble.connectString,
    root: ROOT,
    resources: options.resources,
    isOver: (attempt) => cluster.slots.some((slot) => slot.isOver(attempt)),
  });
  await cluster.startProcesses();
  print(`${options.servers} servers and ${options.processes} processes are running`);
  const faultsFrom = process.hrtime.bigint();
  const duration = delay(options.durationMs, undefined, { signal });
  await Promise.all([new Injector(cluster, log, signal).run(faults), duration]);
  const finishAt = process.hrtime.bigint();
  print('the faults are over, the processes finish');
  await Promise.all(cluster.slots.map((slot) => slot.finish(finishMs(options))));
  await person.leave();
  print('all processes have finished, inspecting the final state');
  const finalState = await inspectFinalState(cluster.ensemble, options.resources);
  await Promise.all(cluster.slots.map((slot) => slot.close('closed')));

  const histories = await Promise.all(cluster.slots.map((slot) => slot.history()));
  return {
    run: {
      seed: options.seed,
      plannedHash: scheduleHash(schedule),
      carriedOutHash: scheduleHash({ ...schedule, faults: log.carriedOut.toSorted(inOrder) }),
      precision: REAL_TIME,
      lock,
      emitsEvents: lock === 'real' || lock === 'no-deadline',
      servers: options.servers,
      resources: options.resources,
      tickTime: setting.tickTime,
      startedAt,
      quietFrom: faultsFrom + nanoseconds(schedule.quietFrom),
      finishAt,
      endedAt: process.hrtime.bigint(),
    },
    incarnations: cluster.slots.flatMap(({ incarnations }) => incarnations),
    events: histories.flat().sort(byTime),
    writes: await cluster.guard.history(),
    faults: log.records,
    freed: person.freed,
    serverEvents: cluster.watch.events,
    finalState,
  };
}
