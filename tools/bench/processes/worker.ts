import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { CLIENTS, type ClientName } from '../process/clients/clients.js';
import type { KindName } from '../kinds.js';
import { keyName, LockWindow } from '../process/window.js';
import { sharedNow } from '../shared-clock.js';

/** The worker for subjects in Node. README.md describes the protocol. */
const [name, options, kind, address, root, sessionTimeout] = process.argv.slice(2);
// The input keeps the process alive, also while it connects; its end means that the parent has ended.
const commands = createInterface({ input: process.stdin });
commands.once('close', () => process.exit());
const client = await CLIENTS[name as ClientName]({
  address: address!,
  root: root!,
  sessionTimeout: Number(sessionTimeout),
  options: JSON.parse(options!) as Record<string, unknown>,
  kind: kind as KindName,
});
answer('ready');

commands.on('line', (line) => {
  const [command, ...words] = line.split(' ');
  if (command === 'hold') void hold(keyName(0));
  if (command === 'window') void runWindow(words);
});

async function runWindow(words: readonly string[]): Promise<void> {
  const [keys, waiters, milliseconds, turns] = words.map(Number);
  const window = new LockWindow(client, {
    keys: keys!,
    waiters: waiters!,
    milliseconds: milliseconds!,
    turns: turns!,
  });
  await window.prepare();
  answer('prepared');
  await once(commands, 'line'); // go
  const report = await window.run();
  await window.log.write(words[4]!);
  answer(`done ${JSON.stringify(report)}`);
}

async function hold(key: string): Promise<void> {
  await client.prepare?.(key);
  await client.withLock(key, () => {
    answer(`granted ${sharedNow()}`);
    // For ever.
    return new Promise(() => {});
  });
}

/** The sign tells answers from other output. */
function answer(words: string): void {
  process.stdout.write(`@${words}\n`);
}
