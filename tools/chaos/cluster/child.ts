import { fork, spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { builtProgram } from '../../../test/support/built-program.js';
import { toJson } from '../../history/history-json.js';
import { within } from './within.js';

export interface ChildExit {
  readonly at: bigint;
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
}

/** The time until the first message of a program, on a slow machine. */
const START_MS = 60_000;
/** Kills the program, even if it is stopped, when the pipe to its parent breaks. */
const KILL_ORPHAN = 'read -r _; kill -9 "$1" 2>/dev/null';

/** A process that runs a program in `tools/chaos/processes` and never outlives its parent. */
export class Child {
  readonly exited: Promise<ChildExit>;
  #exit: ChildExit | undefined;

  private constructor(private readonly child: ChildProcess) {
    const orphanKiller = spawn('/bin/sh', ['-c', KILL_ORPHAN, 'orphan-killer', String(child.pid)], {
      stdio: ['pipe', 'ignore', 'ignore'],
      detached: true,
    });
    orphanKiller.stdin?.on('error', () => {});
    this.exited = new Promise((resolve) =>
      child.once('exit', (code, signal) => {
        this.#exit = { at: process.hrtime.bigint(), code, signal };
        orphanKiller.kill('SIGKILL');
        resolve(this.#exit);
      }),
    );
  }

  /** Resolves with the first message. The child has its own process group, so that Ctrl-C does not reach it. */
  static async start<M>(
    program: string,
    settings: object,
    receive: (message: M) => void,
  ): Promise<{ child: Child; first: M }> {
    const forked = fork(builtProgram(`tools/chaos/processes/${program}`), [toJson(settings)], {
      stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
      serialization: 'advanced',
      detached: true,
      execArgv: ['--unhandled-rejections=strict'],
    });
    const child = new Child(forked);
    forked.on('message', receive);
    let first: M | undefined;
    forked.once('message', (message: M) => (first = message));
    await within(START_MS, Promise.race([once(forked, 'message'), child.exited]));
    if (first !== undefined) return { child, first };
    const what = child.running ? `did not start within ${START_MS} ms` : 'exited before it had started';
    await child.kill();
    throw new Error(`${program} ${what}`);
  }

  get pid(): number {
    return this.child.pid!;
  }

  get running(): boolean {
    return this.#exit === undefined;
  }

  /** Does nothing if the process has exited or has closed its channel. */
  send(command: object): void {
    if (this.running && this.child.connected) this.child.send(command, () => {});
  }

  signal(signal: NodeJS.Signals): void {
    if (this.running) this.child.kill(signal);
  }

  async kill(): Promise<void> {
    this.signal('SIGKILL');
    await this.exited;
  }
}
