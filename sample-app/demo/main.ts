import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { BoxOfficeProcess } from './box-office-process.js';
import { EventRecorder } from './event-recorder.js';
import { verify } from './verify.js';
import { runSale } from './run-sale.js';
import { runStaleWriter } from './run-stale-writer.js';
import { CleanupStack } from './cleanup-stack.js';
import { startZooKeeper } from './start-zookeeper.js';
import { tableOf } from './table.js';

const CAPACITY = 40;
const CUSTOMERS_PER_PROCESS = 60;

const print = (line = '') => console.log(line);

const cleanup = new CleanupStack();
cleanup.closeOnSignals();
try {
  await run();
} catch (error) {
  process.exitCode = 1;
  // After Ctrl-C it fails because its servers have stopped.
  if (!cleanup.closing) console.error(`\n  ${error instanceof Error ? error.message : String(error)}\n`);
} finally {
  await cleanup.close();
}

async function run(): Promise<void> {
  const { connectString, origin } = cleanup.use(await startZooKeeper());
  print();
  print(`  ZooKeeper   ${connectString}, ${origin}`);
  const processes = await openBoxOffices(connectString);
  const logs = await Promise.all(processes.map(({ url }) => cleanup.use(new EventRecorder()).open(url)));
  print();

  const sale = { capacity: CAPACITY, customersPerProcess: CUSTOMERS_PER_PROCESS };
  const customers = processes.length * CUSTOMERS_PER_PROCESS;
  print(`  1. ${customers} customers want ${CAPACITY} seats at once, without a lock`);
  const unlocked = await runSale({ show: 'matinee', counter: 'unlocked', ...sale }, processes, logs);
  print(`  2. ${customers} customers want ${CAPACITY} seats at once, and the method has @Locked('show:{0}')`);
  const locked = await runSale({ show: 'evening', counter: 'locked', ...sale }, processes, logs);
  print("  3. process A holds the printer's lock, is paused past its ttl, resumes and still prints");
  const staleWriter = await runStaleWriter(processes, logs);

  const result = { unlocked, locked, staleWriter };
  print();
  print(tableOf(result));
  print();
  const problems = verify(result);
  if (problems.length === 0) {
    print(`  OK: ${unlocked.report.oversold} tickets too many without a lock, none with @Locked.`);
  } else {
    print(`  FAILED: ${problems.join('; ')}.`);
    process.exitCode = 1;
  }
  print();
  await printUrls(processes);
}

async function openBoxOffices(zookeeper: string): Promise<BoxOfficeProcess[]> {
  const dataDirectory = await mkdtemp(join(tmpdir(), 'box-office-'));
  cleanup.use({ [Symbol.asyncDispose]: () => rm(dataDirectory, { recursive: true, force: true }) });
  const processes = ['A', 'B'].map((name) => new BoxOfficeProcess(name, { zookeeper, dataDirectory }));
  cleanup.use({
    [Symbol.asyncDispose]: async () => void (await Promise.all(processes.map((one) => one.close()))),
  });
  await Promise.all(processes.map((process) => process.opened()));
  for (const { name, url, pid } of processes) print(`  Process ${name}   ${url}, pid ${pid}`);
  return processes;
}

/** With `--stay`, keeps the two processes open. */
async function printUrls([a, b]: readonly BoxOfficeProcess[]): Promise<void> {
  if (!process.argv.includes('--stay')) {
    print(
      '  See it live:  npm run demo -- --stay              keeps these two processes open and prints their URLs',
    );
    print('                ZOOKEEPER=host:port npm start       one process, on your own ZooKeeper');
    print();
    return;
  }
  print(`  Open until Ctrl-C:  ${a!.url}  and  ${b!.url}`);
  await new Promise(() => setInterval(() => {}, 60_000));
}
