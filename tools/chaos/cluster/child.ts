import { fork, spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { builtProgram } from '../../../test/support/built-program.js';
import { toJson } from '../history/history-json.js';
import { within } from './within.js';

export interface ChildExit {
  readonly at: bigint;
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
}

/** Until a program says its first word, on the slowest of machines. */
const START_MS = 60_000;
/** Kills the program as soon as the pipe to its parent breaks, even one that is stopped. */
const GUARD = 'read -r _; kill -9 "$1" 2>/dev/null';

/** One of our programs in `test/processes`, in a process of its own that never outlives this one. */
export class Child {
  readonly exited: Promise<ChildExit>;
  #exit: ChildExit | undefined;

  private constructor(private readonly child: ChildProcess) {
    const guard = spawn('/bin/sh', ['-c', GUARD, 'guard', String(child.pid)], {
      stdio: ['pipe', 'ignore', 'ignore'],
      detached: true,
    });
    guard.stdin?.on('error', () => {});
    this.exited = new Promise((resolve) =>
      child.once('exit', (code, signal) => {
        this.#exit = { at: process.hrtime.bigint(), code, signal };
        guard.kill('SIGKILL');
        resolve(this.#exit);
      }),
    );
  }

  /** Resolves with the first message. In a group of its own, so that Ctrl-C reaches it through us only. */
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
    const what = child.running ? `did not start within ${START_MS} ms` : 'ended before it had started';
    await child.kill();
    throw new Error(`${program} ${what}`);
  }

  get pid(): number {
    return this.child.pid!;
  }

  get running(): boolean {
    return this.#exit === undefined;
  }

  /** Lost if the process has ended, or has closed its end. */
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
