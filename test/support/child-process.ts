import { spawn, type ChildProcess } from 'node:child_process';
import { closeSync, openSync, readdirSync, readFileSync } from 'node:fs';
import { block } from './block.js';

export interface ChildOptions {
  /** The output of the program is appended to this file. */
  readonly logFile: string;
  readonly env?: Record<string, string>;
  /** Removed when this process exits without stopping the program. */
  readonly temporaryDirectory: string;
}

/** Kills the program and removes its directory when the pipe to the parent closes, however the parent ended. */
const GUARD = 'read -r _; kill -9 "$1" 2>/dev/null; rm -rf "$2"';

/**
 * A program that never outlives this process. An `exit` listener is not enough: Node runs none after SIGKILL or an
 * unhandled SIGTERM, which is how test workers end.
 *
 * The program and its guard run in separate process groups. So Ctrl-C kills neither the server of an application that
 * is about to close its session, nor the guard of a server that is stopped by SIGSTOP.
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
    this.#guard.stdin?.on('error', () => {}); // the guard may have been killed before
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
    if (!this.#running) return;
    this.child.kill(signal);
    if (signal === 'SIGSTOP') untilStopped(this.pid);
  }

  /** Sends SIGKILL; resolves when the process has exited. Idempotent. */
  async kill(): Promise<void> {
    await this.end('SIGKILL');
  }

  /** Sends a signal that ends the process; resolves when it has exited. */
  async end(signal: 'SIGTERM' | 'SIGKILL'): Promise<void> {
    this.signal(signal);
    await this.#exited;
  }
}

const STOP_PATIENCE_MS = 5_000;

/**
 * Returns when a SIGSTOP has taken effect. The kernel signals one thread, and until that thread runs the others
 * continue: a server on a busy machine can answer requests that were sent after the signal. Without `/proc` it returns
 * immediately.
 */
export function untilStopped(pid: number): void {
  const deadline = performance.now() + STOP_PATIENCE_MS;
  while (threadStates(pid).some((state) => !'TtZX'.includes(state)) && performance.now() < deadline) block(1);
}

/** One letter for each thread; X for a thread that has just exited. */
function threadStates(pid: number): string[] {
  const threads = `/proc/${pid}/task`;
  return (attempt(() => readdirSync(threads)) ?? []).map((thread) => {
    const stat = attempt(() => readFileSync(`${threads}/${thread}/stat`, 'latin1'));
    // After the name, which is in parentheses and may contain parentheses.
    return stat?.charAt(stat.lastIndexOf(')') + 2) ?? 'X';
  });
}

function attempt<T>(read: () => T): T | undefined {
  try {
    return read();
  } catch {
    return undefined;
  }
}
