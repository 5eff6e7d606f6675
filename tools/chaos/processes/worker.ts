import { setMaxListeners } from 'node:events';
import { Logger } from '@nestjs/common';
import { SystemClock } from '../../../lib/locking/clock.js';
import { block } from '../../../test/support/block.js';
import { fromJson } from '../../history/history-json.js';
import type { AttemptPlan } from '../../attempts/attempt-plan.js';
import { attemptPlans } from '../../attempts/attempt-plans.js';
import { GuardClient } from '../worker/guard-client.js';
import { measureLag } from '../worker/lag-meter.js';
import { LockClient } from '../../attempts/lock-client.js';
import { defaultsOf } from '../worker/module-options.js';
import { openLocks } from '../worker/open-locks.js';
import { tapSessions } from '../worker/session-tap.js';
import { WorkerJournal } from '../worker/worker-journal.js';
import type { WorkerCommand, WorkerMessage, WorkerSettings } from '../worker/worker-protocol.js';

const CHECK_INTERVAL_MS = 15;

const settings = fromJson(process.argv[2]!) as WorkerSettings;
const clock = new SystemClock();
const journal = new WorkerJournal(settings.journal, settings.actor, (attempt) =>
  send({ type: 'failed', attempt }),
);
const finish = new AbortController();
// Each flow adds one listener; more would be a leak.
setMaxListeners(settings.clients, finish.signal);
let attempts = 0;

function send(message: WorkerMessage): void {
  process.send?.(message);
}

process.on('uncaughtExceptionMonitor', (error: unknown) =>
  journal.write({
    what: 'unhandled',
    detail: error instanceof Error ? (error.stack ?? error.message) : String(error),
  }),
);
process.on('warning', ({ name, message }) =>
  journal.write({ what: 'unhandled', detail: `${name}: ${message}` }),
);
tapSessions((credentials) => send({ type: 'session', credentials }));
const warned = (detail: unknown): void => journal.write({ what: 'warned', detail: String(detail) });
Logger.overrideLogger({ log: () => {}, warn: warned, error: warned });

const lag = measureLag(journal);
const guard = new GuardClient(settings.guardPort);
const opening = openLocks(settings, journal);
const clients = Promise.all(Array.from({ length: settings.clients }, (_, index) => run(index)));
void clients.then(() => send({ type: 'finished' }));

/** Runs one flow, as soon as the locks are available. */
async function run(index: number): Promise<void> {
  const locks = await opening;
  const reportHold = (attempt: string, holds: boolean): void =>
    send({ type: holds ? 'held' : 'released', attempt });
  const defaults = defaultsOf(settings.module);
  const context = { locks, guard, journal, clock, checkInterval: CHECK_INTERVAL_MS, defaults, reportHold };
  const nextName = (): string => `${settings.actor}#${(attempts += 1)}`;
  await new LockClient(plansOf(index), nextName, context).run(finish.signal);
}

function* plansOf(index: number): Generator<AttemptPlan> {
  const script = settings.script?.[index];
  if (script !== undefined) for (;;) yield* script;
  const seed = settings.seed + 1_000_000 * index;
  yield* attemptPlans(settings.resources, seed);
}

/** Closes everything that keeps the process alive; if it does not exit then, the library has leaked something. */
async function close(): Promise<void> {
  finish.abort();
  await (await opening).close();
  await clients;
  guard.close();
  clearInterval(lag);
  process.once('exit', () => journal.write({ what: 'exited' }));
  process.disconnect();
}

process.on('message', (command: WorkerCommand) => {
  if (command.type === 'block') block(command.ms);
  else if (command.type === 'finish') finish.abort();
  else void close();
});
send({ type: 'started' });
