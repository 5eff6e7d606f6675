import type { INestApplicationContext } from '@nestjs/common';
import { ModuleRef, NestFactory } from '@nestjs/core';
import {
  getLockServiceToken,
  LockModule,
  LockUnavailableError,
  type LockService,
} from '../../../lib/index.js';
import { serviceLocks } from '../../attempts/service-locks.js';
import type { ChaosLocks } from './chaos-locks.interface.js';
import { callLockedJob } from './locked-job.js';
import { moduleOptions } from './module-options.js';
import { recordEvent } from '../../attempts/record-event.js';
import type { WorkerJournal } from './worker-journal.js';
import type { WorkerSettings } from './worker-protocol.js';

/** Starts an application with the library, and records its event stream. */
export async function openRealLocks(settings: WorkerSettings, journal: WorkerJournal): Promise<ChaosLocks> {
  const options = moduleOptions(settings);
  const app = await startedApplication(LockModule.forRoot(options), journal);
  const locks = app.get<LockService>(getLockServiceToken(options.name));
  locks.events$.subscribe((event) => recordEvent(event, journal));
  return {
    ...serviceLocks(locks),
    callLocked: (call, work) => callLockedJob(app.get(ModuleRef), options.name, call, work),
    close: () => app.close(),
  };
}

/** Unless `lazy`, an application does not start without ZooKeeper: starts it again, as an orchestrator would. */
async function startedApplication(
  module: ReturnType<typeof LockModule.forRoot>,
  journal: WorkerJournal,
): Promise<INestApplicationContext> {
  for (;;) {
    try {
      return await NestFactory.createApplicationContext(module, { abortOnError: false });
    } catch (error) {
      if (!(error instanceof LockUnavailableError)) throw error;
      journal.write({ what: 'warned', detail: `did not start: ${error.message}` });
    }
  }
}
