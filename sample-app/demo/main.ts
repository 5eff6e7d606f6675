import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { BoxOfficeProcess } from './box-office-process.js';
import { EventLog } from './event-recorder.js';
import { problemsOf } from './verify.js';
import { runSale } from './run-sale.js';
import { runStaleWriter } from './run-stale-writer.js';
import { Stage } from './cleanup-stack.js';
import { startZooKeeper } from './start-zookeeper.js';
import { tableOf } from './table.js';

const CAPACITY = 40;
const CUSTOMERS_PER_PROCESS = 60;

const say = (line = '') => console.log(line);

const stage = new Stage();
stage.closeOnSignals();
try {
  await play();
} catch (error) {
  process.exitCode = 1;
  // Ended by Ctrl-C, it fails because its servers go.
  if (!stage.closing) console.error(`\n  ${error instanceof Error ? error.message : String(error)}\n`);
} finally {
  await stage.close();
}

async function play(): Promise<void> {
  const { connectString, origin } = stage.use(await startZooKeeper());
  say();
  say(`  ZooKeeper   ${connectString}, ${origin}`);
  const processes = await openBoxOffices(connectString);
  const logs = await Promise.all(processes.map(({ url }) => stage.use(new EventLog()).open(url)));
  say();

  const sale = { capacity: CAPACITY, customersPerProcess: CUSTOMERS_PER_PROCESS };
  const customers = processes.length * CUSTOMERS_PER_PROCESS;
  say(`  1. ${customers} customers want ${CAPACITY} seats, all at once, and nobody locks anything`);
  const unlocked = await runSale({ show: 'matinee', counter: 'unlocked', ...sale }, processes, logs);
  say(
    `  2. ${customers} customers want ${CAPACITY} seats, all at once, and the method is @Locked('show:{0}')`,
  );
  const locked = await runSale({ show: 'evening', counter: 'locked', ...sale }, processes, logs);
  say("  3. process A holds the printer's lock, is paused past its ttl, wakes up and prints all the same");
  const staleWriter = await runStaleWriter(processes, logs);

  const result = { unlocked, locked, staleWriter };
  say();
  say(tableOf(result));
  say();
  const problems = problemsOf(result);
  if (problems.length === 0) {
    say(`  OK: ${unlocked.report.oversold} tickets too many without a lock, none with @Locked.`);
  } else {
    say(`  FAILED: ${problems.join('; ')}.`);
    process.exitCode = 1;
  }
  say();
  await sayWhereToLook(processes);
}

async function openBoxOffices(zookeeper: string): Promise<BoxOfficeProcess[]> {
  const dataDirectory = await mkdtemp(join(tmpdir(), 'box-office-'));
  stage.use({ [Symbol.asyncDispose]: () => rm(dataDirectory, { recursive: true, force: true }) });
  const processes = ['A', 'B'].map((name) => new BoxOfficeProcess(name, { zookeeper, dataDirectory }));
  stage.use({
    [Symbol.asyncDispose]: async () => void (await Promise.all(processes.map((one) => one.close()))),
  });
  await Promise.all(processes.map((process) => process.opened()));
  for (const { name, url, pid } of processes) say(`  Process ${name}   ${url}, pid ${pid}`);
  return processes;
}

/** `--stay` leaves the two processes open, to look at their pages. */
async function sayWhereToLook([a, b]: readonly BoxOfficeProcess[]): Promise<void> {
  if (!process.argv.includes('--stay')) {
    say('  See it live:  npm run demo -- --stay              keeps these two processes open and says where');
    say('                ZOOKEEPER=host:port npm start       one process, on your own ZooKeeper');
    say();
    return;
  }
  say(`  Open until Ctrl-C:  ${a!.url}  and  ${b!.url}`);
  await new Promise(() => setInterval(() => {}, 60_000));
}
