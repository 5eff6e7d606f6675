import 'reflect-metadata';
import { appendFileSync, unlinkSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { Injectable, Logger, Module } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { ScheduleModule } from '@nestjs/schedule';
import { LockModule } from 'nestjs-locked';
import { LockedCron, type Tick } from 'nestjs-locked/schedule';
import type { CronProcessOptions, RunRecord } from '../locks/cron-replicas.js';

const { file, killFile, replica, cron, workMs, ...options } = JSON.parse(
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

/** The first process in a run that finds the file. */
function isToDie(): boolean {
  try {
    unlinkSync(killFile);
    return true;
  } catch {
    return false;
  }
}

@Injectable()
class Jobs {
  @LockedCron('job', cron, { timeZone: 'UTC' })
  async run(tick: Tick): Promise<void> {
    record('began', tick);
    await sleep(workMs / 2);
    if (isToDie()) process.kill(process.pid, 'SIGKILL');
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
