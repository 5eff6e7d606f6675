import { spawn, type ChildProcess } from 'node:child_process';
import { closeSync, openSync } from 'node:fs';

export interface ChildOptions {
  /** Gets everything the program prints; appended to. */
  readonly logFile: string;
  readonly env?: Record<string, string>;
  /** Removed with the program if this process dies without having stopped it. */
  readonly temporaryDirectory: string;
}

/** Kills the program as soon as the pipe to its parent breaks, however the parent ended, and tidies up after it. */
const GUARD = 'read -r _; kill -9 "$1" 2>/dev/null; rm -rf "$2"';

/**
 * A program that never outlives this process. An `exit` listener would not do: Node runs none after SIGKILL or an
 * unhandled SIGTERM, which is how test workers end.
 *
 * Both run in groups of their own, so that Ctrl-C does not take the server from an application that is about to close
 * its session, and cannot take the guard from a server that is stopped by SIGSTOP.
 */
export class GuardedProcess {
  readonly #exited: Promise<void>;
  readonly #guard: ChildProcess;
  #running = true;

  private constructor(
    private readonly child: ChildProcess,
    readonly pid: number,
    temporaryDirectory: string,
  ) {
    this.#exited = new Promise((resolve) => child.once('exit', () => resolve()));
    this.#guard = spawn('/bin/sh', ['-c', GUARD, 'guard', String(pid), temporaryDirectory], {
      stdio: ['pipe', 'ignore', 'ignore'],
      detached: true,
    });
    this.#guard.stdin?.on('error', () => {}); // the guard is killed first, its pipe may complain
    child.once('exit', () => {
      this.#running = false;
      this.#guard.kill('SIGKILL');
    });
  }

  static async start(
    command: string,
    args: readonly string[],
    options: ChildOptions,
  ): Promise<GuardedProcess> {
    const log = openSync(options.logFile, 'a');
    try {
      const child = spawn(command, args, {
        stdio: ['ignore', log, log],
        detached: true,
        env: { ...process.env, ...options.env },
      });
      await new Promise<void>((resolve, reject) => child.once('spawn', resolve).once('error', reject));
      return new GuardedProcess(child, child.pid!, options.temporaryDirectory);
    } finally {
      closeSync(log);
    }
  }

  get running(): boolean {
    return this.#running;
  }

  signal(signal: NodeJS.Signals): void {
    if (this.#running) this.child.kill(signal);
  }

  /** SIGKILL, and resolved when the process is gone. Idempotent. */
  async kill(): Promise<void> {
    this.signal('SIGKILL');
    await this.#exited;
  }
}
