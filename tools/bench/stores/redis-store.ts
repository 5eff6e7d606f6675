import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Redis } from 'ioredis';
import { GuardedProcess } from '../../../test/support/child-process.js';
import { eventually } from '../../../test/support/eventually.js';
import { freePort } from '../../../test/support/free-port.js';
import { stopProcess } from './stop-process.js';
import { cpuMicros } from './process-cpu.js';
import { programIn } from './program-path.js';
import type { Store, StoreTotals } from './store.interface.js';

/** The program of a Redis server, or undefined if it is not installed. */
export function findRedis(): string | undefined {
  return programIn(process.env['PATH'] ?? '', 'redis-server');
}

/** One Redis server on loopback, without replicas. */
export class RedisStore implements Store {
  private constructor(
    private readonly server: GuardedProcess,
    private readonly directory: string,
    readonly address: string,
  ) {}

  /** With `fsync`, the server writes each command to the disk before it replies. */
  static async start(program: string, { fsync }: { fsync: boolean }): Promise<RedisStore> {
    const directory = await mkdtemp(join(tmpdir(), 'redis-'));
    const port = await freePort();
    const settings = {
      port,
      bind: '127.0.0.1',
      dir: directory,
      save: '',
      appendonly: fsync ? 'yes' : 'no',
      appendfsync: 'always',
    };
    const args = Object.entries(settings).flatMap(([name, value]) => [`--${name}`, String(value)]);
    const logFile = join(directory, 'log');
    const server = await GuardedProcess.start(program, args, { logFile, temporaryDirectory: directory });
    const store = new RedisStore(server, directory, `redis://127.0.0.1:${port}`);
    await eventually(() => store.#answers(), { describe: 'a Redis server that answers' });
    return store;
  }

  async totals(): Promise<StoreTotals> {
    return { cpuMicros: await cpuMicros([this.server.pid]) };
  }

  [Symbol.asyncDispose](): Promise<void> {
    return stopProcess(this.server, 'SIGTERM', this.directory);
  }

  async #answers(): Promise<boolean> {
    const client = new Redis(this.address, { lazyConnect: true, retryStrategy: () => null });
    client.on('error', () => {}); // it has not started yet
    const answer = await client.ping().catch(() => '');
    client.disconnect();
    return answer === 'PONG';
  }
}
