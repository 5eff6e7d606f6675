#!/usr/bin/env node
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { EmbeddedZooKeeper } from './embedded-zookeeper.js';

const USAGE = `Usage: npx nestjs-locked zookeeper [--port 2181] [--host 127.0.0.1] [--tick-time 2000]

Starts a ZooKeeper server for development and tests. It runs in memory: all data are lost when it stops.

  --port       port to listen on; 0 takes a free port (default 2181)
  --host       address to listen on (default 127.0.0.1)
  --tick-time  ms; sessions expire at the end of a tick (default 2000)
  --help       print this text, as the command "help" does
  --version    print the version of the package`;

async function main(args: string[]): Promise<void> {
  const { positionals, values } = parseArgs({
    args,
    allowPositionals: true,
    options: {
      port: { type: 'string', default: '2181' },
      host: { type: 'string', default: '127.0.0.1' },
      'tick-time': { type: 'string', default: '2000' },
      help: { type: 'boolean', short: 'h', default: false },
      version: { type: 'boolean', short: 'v', default: false },
    },
  });
  if (values.help || positionals[0] === 'help') {
    console.log(USAGE);
    return;
  }
  if (values.version) {
    console.log(packageVersion());
    return;
  }
  if (positionals.length !== 1 || positionals[0] !== 'zookeeper') {
    throw new TypeError(`The only command is "zookeeper"; got ${JSON.stringify(positionals.join(' '))}`);
  }
  const zookeeper = await EmbeddedZooKeeper.start({
    port: wholeNumber('--port', values.port),
    host: values.host,
    tickTime: wholeNumber('--tick-time', values['tick-time']),
    onNotice: false,
  });
  console.log(
    `ZooKeeper for development and tests is running in memory on ${zookeeper.connectString}. Press Ctrl-C to stop it.`,
  );
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => void zookeeper.stop());
}

/** Read when it is asked for: the build has the version nowhere else. */
function packageVersion(): string {
  const manifest = readFileSync(join(__dirname, '../../package.json'), 'utf8');
  return (JSON.parse(manifest) as { version: string }).version;
}

function wholeNumber(option: string, text: string): number {
  if (/^\d+$/.test(text)) return Number(text);
  throw new TypeError(`${option} must be a whole number; got ${JSON.stringify(text)}`);
}

main(process.argv.slice(2)).catch((error: unknown) => {
  console.error(`${(error as Error).message}\n\n${USAGE}`);
  process.exitCode = 2;
});
