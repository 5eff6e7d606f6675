import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { HistoryEvent } from '../support/lock-history.js';
import { eventually } from '../support/eventually.js';
import { ForeignProcess } from './foreign-process.js';
import type { Command } from './installations.js';
import { TOKEN_SHIFT, type Turns } from './foreign-locker.js';

const DIGITS = 10;

/** The shell of ZooKeeper, used as by hand: creates a contender, looks for it in the list, and deletes it. */
export class ZkCli implements AsyncDisposable {
  readonly history: HistoryEvent[] = [];
  #commands = 0;

  private constructor(private readonly shell: ForeignProcess) {}

  static async start(command: Command, connectString: string): Promise<ZkCli> {
    const zkCli = new ZkCli(ForeignProcess.start(command, ['-server', connectString]));
    await zkCli.run('ls /');
    return zkCli;
  }

  get pid(): number {
    return this.shell.pid;
  }

  /** The output of a command. The shell executes commands in order: the output of the next command ends it. */
  async run(command: string): Promise<string[]> {
    const from = this.shell.lines.length;
    const marker = `/nothing-${(this.#commands += 1)}`;
    this.shell.say(command);
    this.shell.say(`ls ${marker}`);
    const end = await this.shell.line((line) => line.includes(marker), from);
    return this.shell.lines.slice(from, this.shell.lines.indexOf(end, from));
  }

  /** Takes the lock `grants` times. */
  async takeTurns(lockPath: string, { grants, holdMs }: Turns): Promise<void> {
    for (let i = 0; i < grants; i++) await this.#takeTurn(lockPath, holdMs);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.shell[Symbol.asyncDispose]();
  }

  async #takeTurn(lockPath: string, holdMs: number): Promise<void> {
    const contender = await this.#create(`${lockPath}/_c_${randomUUID()}-lock-`);
    await eventually(async () => (await this.#head(lockPath)) === contender, {
      describe: `${contender} to be the head`,
    });
    const token = (await this.#czxid(contender)) << TOKEN_SHIFT;
    this.#record('acquired', lockPath, token);
    await sleep(holdMs);
    this.#record('releasing', lockPath, token);
    await this.run(`delete ${contender}`);
  }

  async #create(path: string): Promise<string> {
    return answer(await this.run(`create -s -e ${path}`), /^Created (\S+)/);
  }

  /** The first contender by sequence number, whatever its prefix. */
  async #head(lockPath: string): Promise<string> {
    const list = answer(await this.run(`ls ${lockPath}`), /^\[(.+)\]/);
    const inOrder = list.split(', ').toSorted((a, b) => Number(a.slice(-DIGITS)) - Number(b.slice(-DIGITS)));
    return `${lockPath}/${inOrder[0]}`;
  }

  async #czxid(path: string): Promise<bigint> {
    return BigInt(answer(await this.run(`stat ${path}`), /^cZxid = (\S+)/));
  }

  #record(what: 'acquired' | 'releasing', lockPath: string, token: bigint): void {
    const resource = lockPath.slice(lockPath.lastIndexOf('/') + 1);
    this.history.push({ at: process.hrtime.bigint(), pid: this.pid, what, resource, token });
  }
}

function answer(lines: readonly string[], pattern: RegExp): string {
  for (const line of lines) {
    const [, found] = pattern.exec(line) ?? [];
    if (found !== undefined) return found;
  }
  throw new Error(`zkCli did not say ${String(pattern)} but:\n${lines.join('\n')}`);
}
