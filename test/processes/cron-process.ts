import 'reflect-metadata';
import { appendFileSync, existsSync, unlinkSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { Injectable, Logger, Module } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { ScheduleModule } from '@nestjs/schedule';
import { LockModule } from 'nestjs-locked';
import { LockedCron, type Tick } from 'nestjs-locked/schedule';
import type { CronProcessOptions, RunRecord } from '../locks/cron-replicas.js';

const HOLD_INTERVAL_MS = 10;

const { file, killFile, holdFile, replica, cron, workMs, ...options } = JSON.parse(
  process.argv[2]!,
) as CronProcessOptions;

/** Written before the call returns, so that a kill loses nothing. */
function record(what: RunRecord['what'], { scheduledAt, previous, fencingToken }: Tick): void {
  const run: RunRecord = {
    what,
    replica,
    pid: process.pid,
    at: Number(process.hrtime.bigint()) / 1e6,
    tick: scheduledAt.getTime(),
    previous: previous?.getTime() ?? null,
    token: String(fencingToken),
  };
  appendFileSync(file, `${JSON.stringify(run)}\n`);
}

/** Kills the first process in a run that finds the file. */
function dieIfTold(): void {
  try {
    unlinkSync(killFile);
  } catch {
    return;
  }
  process.kill(process.pid, 'SIGKILL');
}

@Injectable()
class Jobs {
  @LockedCron('job', cron, { timeZone: 'UTC' })
  async run(tick: Tick): Promise<void> {
    record('began', tick);
    await sleep(workMs / 2);
    dieIfTold();
    if (existsSync(holdFile)) record('held', tick);
    while (existsSync(holdFile)) {
      await sleep(HOLD_INTERVAL_MS);
      dieIfTold();
    }
    await sleep(workMs / 2);
    record('ended', tick);
  }
}

@Module({
  imports: [ScheduleModule.forRoot(), LockModule.forRoot({ ...options, shutdownHookWarning: false })],
  providers: [Jobs],
})
class App {}

Logger.overrideLogger(['error', 'warn']);
const app = await NestFactory.createApplicationContext(App);
// The parent has exited, or wants this process to stop.
process.on('disconnect', () => void app.close().then(() => process.exit()));
process.send?.('started');
