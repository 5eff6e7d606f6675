import { Logger } from '@nestjs/common';
import { attemptPlans } from '../chaos/worker/attempt-plan.js';
import { GuardClient } from '../chaos/worker/guard-client.js';
import { block, measureLag } from '../chaos/worker/lag-meter.js';
import { LockClient } from '../chaos/worker/lock-client.js';
import { openLocks } from '../chaos/worker/open-locks.js';
import { tapSessions } from '../chaos/worker/session-tap.js';
import { WorkerJournal } from '../chaos/worker/worker-journal.js';
import type { WorkerCommand, WorkerMessage, WorkerSettings } from '../chaos/worker/worker-protocol.js';

const settings = JSON.parse(process.argv[2]!) as WorkerSettings;
const journal = new WorkerJournal(settings.journal, settings.actor);

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

const locks = await openLocks(settings, journal);
const guard = new GuardClient(settings.guardPort);
const lag = measureLag(journal);
const finish = new AbortController();
let attempts = 0;

const clients = Array.from({ length: settings.clients }, (_, index) => {
  const plans = attemptPlans(settings.resources, settings.seed + 1_000_000 * index);
  const nextName = (): string => `${settings.actor}#${(attempts += 1)}`;
  return new LockClient(plans, nextName, { locks, guard, journal }).run(finish.signal);
});
void Promise.all(clients).then(() => send({ type: 'finished' }));

/** Everything is let go; a process that goes on after that has left something behind. */
async function close(): Promise<void> {
  await locks.close();
  guard.close();
  clearInterval(lag);
  process.once('exit', () => journal.write({ what: 'left' }));
  process.disconnect();
}

process.on('message', (command: WorkerCommand) => {
  if (command.type === 'block') block(command.ms);
  else if (command.type === 'finish') finish.abort();
  else void close();
});
send({ type: 'started' });
