import { setTimeout as delay } from 'node:timers/promises';
import { FaultLog } from './faults/fault-log.js';
import { Injector } from './faults/injector.js';
import type { ChaosHistory } from './history/chaos-history.js';
import { byTime, nanoseconds } from './history/moments.js';
import { inOrder, scheduleHash, type Schedule } from './schedule/schedule.js';
import type { ScheduleOptions } from './schedule/setting.js';
import { inspectAftermath } from './cluster/inspect-final-state.js';
import { ChaosStage } from './cluster/chaos-cluster.js';
import type { LockName } from './worker/worker-protocol.js';

/** Of a run without a crowd. */
const FINISH_MS = 120_000;

/** Longer than everything that can be waited for once nobody asks any more. A queue ends one hold after the other. */
export function finishMs({ crowd = 1 }: ScheduleOptions): number {
  return crowd * FINISH_MS;
}

/**
 * One run: processes lock under a storm of faults, then in peace, then let go. Resolves with what everybody saw; nothing
 * is running any more then, and when it rejects, as it does when `signal` aborts.
 */
export async function runChaos(
  schedule: Schedule,
  lock: LockName,
  signal: AbortSignal,
  say: (line: string) => void = () => {},
): Promise<ChaosHistory> {
  const { options, setting, faults } = schedule;
  await using stage = await ChaosStage.open(schedule, lock);
  signal.throwIfAborted();

  const log = new FaultLog();
  const startedAt = process.hrtime.bigint();
  await stage.begin();
  say(`${options.servers} servers and ${options.processes} processes run`);
  const stormAt = process.hrtime.bigint();
  const over = delay(options.durationMs, undefined, { signal });
  await Promise.all([new Injector(stage, log, signal).run(faults), over]);
  const finishAt = process.hrtime.bigint();
  say('the faults are over, everybody finishes');
  await Promise.all(stage.seats.map((seat) => seat.finish(finishMs(options))));
  say('everybody has finished, what is left?');
  const aftermath = await inspectAftermath(stage.ensemble, options.resources);
  await Promise.all(stage.seats.map((seat) => seat.close('closed')));

  const histories = await Promise.all(stage.seats.map((seat) => seat.history()));
  return {
    run: {
      seed: options.seed,
      plannedHash: scheduleHash(schedule),
      carriedOutHash: scheduleHash({ ...schedule, faults: log.carriedOut.toSorted(inOrder) }),
      lock,
      servers: options.servers,
      resources: options.resources,
      tickTime: setting.tickTime,
      startedAt,
      calmAt: stormAt + nanoseconds(schedule.calmAt),
      finishAt,
      endedAt: process.hrtime.bigint(),
    },
    lives: stage.seats.flatMap(({ lives }) => lives),
    events: histories.flat().sort(byTime),
    writes: await stage.guard.history(),
    faults: log.records,
    serverEvents: stage.watch.events,
    aftermath,
  };
}
