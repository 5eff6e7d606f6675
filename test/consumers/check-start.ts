import { join } from 'node:path';
import { Program } from './program.js';

const CLIENTS = 3;

/** Starts the application with a separate ZooKeeper, pays the same order with several clients, and ends both. */
export async function checkStart(program: string, cwd: string): Promise<void> {
  const cli = join(cwd, '../node_modules/.bin/nestjs-locked');
  await using zookeeper = Program.start(cli, ['zookeeper', '--port', '0'], { cwd });
  const [, connectString] = await zookeeper.prints(/in memory on (\S+)\. /);
  await using application = Program.start(process.execPath, [program], {
    cwd,
    env: { ZOOKEEPER: connectString!, PORT: '0' },
  });
  const [, url] = await application.prints(/Listening on (http\S+)/);
  const tokens = await Promise.all(Array.from({ length: CLIENTS }, () => pay(`${url}/orders/7/payment`)));
  if (new Set(tokens).size !== CLIENTS) throw new Error(`Tokens of one lock: ${tokens.join(', ')}`);
  await application.terminates();
  await zookeeper.terminates();
}

async function pay(url: string): Promise<bigint> {
  const response = await fetch(url, { method: 'POST' });
  const text = await response.text();
  if (response.status !== 201) throw new Error(`${url} answered ${response.status}: ${text}`);
  const { order, token } = JSON.parse(text) as { order: string; token: string };
  if (order !== '7') throw new Error(`${url} answered ${text}`);
  return BigInt(token);
}
