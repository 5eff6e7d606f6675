import { execFileSync } from 'node:child_process';
import { existsSync, readdirSync } from 'node:fs';
import { chown, mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { Client } from 'pg';
import { GuardedProcess } from '../../../test/support/child-process.js';
import { eventually } from '../../../test/support/eventually.js';
import { freePort } from '../../../test/support/free-port.js';
import { childrenOf, cpuMicros } from './process-cpu.js';
import { programIn } from './program-path.js';
import { stopProcess } from './stop-process.js';
import type { Store, StoreTotals } from './store.interface.js';

/** Debian keeps the programs of each version here, and not in `PATH`. */
const DEBIAN = '/usr/lib/postgresql';
const MAX_CONNECTIONS = 400;

/** The directory with the programs of a Postgres server, or undefined if it is not installed. */
export function findPostgres(): string | undefined {
  const versions = existsSync(DEBIAN) ? readdirSync(DEBIAN) : [];
  const directories = [process.env['PATH'] ?? '', ...versions.map((version) => join(DEBIAN, version, 'bin'))];
  return programIn(directories.join(delimiter), 'initdb')?.replace(/\/initdb$/, '');
}

/** One Postgres server on loopback. */
export class PostgresStore implements Store {
  private constructor(
    private readonly server: GuardedProcess,
    private readonly directory: string,
    readonly address: string,
  ) {}

  static async start(programs: string, { fsync }: { fsync: boolean }): Promise<PostgresStore> {
    const directory = await mkdtemp(join(tmpdir(), 'postgres-'));
    const data = join(directory, 'data');
    const prefix = await unprivileged(directory);
    const [initdb, ...initArgs] = [...prefix, join(programs, 'initdb'), '--pgdata', data];
    execFileSync(initdb, [...initArgs, '--auth=trust', '--username=bench', '--no-sync'], {
      cwd: directory,
      stdio: 'pipe',
    });
    const port = await freePort();
    const settings = {
      port,
      listen_addresses: '127.0.0.1',
      unix_socket_directories: '',
      max_connections: MAX_CONNECTIONS,
      fsync: fsync ? 'on' : 'off',
    };
    const options = Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`]);
    const [program, ...args] = [...prefix, join(programs, 'postgres'), '-D', data, ...options];
    const logFile = join(directory, 'log');
    const server = await GuardedProcess.start(program!, args, { logFile, temporaryDirectory: directory });
    const store = new PostgresStore(server, directory, `postgres://bench@127.0.0.1:${port}/postgres`);
    await eventually(() => store.#answers(), { describe: 'a Postgres server that answers' });
    return store;
  }

  /** Each connection has a process of its own. */
  async totals(): Promise<StoreTotals> {
    const { pid } = this.server;
    return { cpuMicros: await cpuMicros([pid, ...(await childrenOf(pid))]) };
  }

  [Symbol.asyncDispose](): Promise<void> {
    // A fast shutdown, which does not wait for connections.
    return stopProcess(this.server, 'SIGINT', this.directory);
  }

  async #answers(): Promise<boolean> {
    const client = new Client(this.address);
    try {
      await client.connect();
      return true;
    } catch {
      return false;
    } finally {
      await client.end().catch(() => {});
    }
  }
}

/** Postgres refuses to run as root: what to put before its commands, so that they run as its own user. */
async function unprivileged(directory: string): Promise<string[]> {
  if (process.getuid?.() !== 0) return [];
  const [uid, gid] = ['-u', '-g'].map((id) => Number(execFileSync('id', [id, 'postgres'])));
  await chown(directory, uid!, gid!);
  return ['setpriv', `--reuid=${uid}`, `--regid=${gid}`, '--clear-groups'];
}
