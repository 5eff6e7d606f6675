import { spawn, type ChildProcess } from 'node:child_process';
import { closeSync, openSync, readdirSync, readFileSync } from 'node:fs';

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
    if (!this.#running) return;
    this.child.kill(signal);
    if (signal === 'SIGSTOP') untilStopped(this.pid);
  }

  /** SIGKILL, and resolved when the process is gone. Idempotent. */
  async kill(): Promise<void> {
    this.signal('SIGKILL');
    await this.#exited;
  }
}

const STOP_PATIENCE_MS = 5_000;
const nobody = new Int32Array(new SharedArrayBuffer(4));

/**
 * Returns when a SIGSTOP that was sent has come into effect. The kernel tells one thread of it, and until that one runs
 * the others go on: a server on a busy machine can answer requests that were sent after the signal. Where there is no
 * `/proc` it returns at once.
 */
export function untilStopped(pid: number): void {
  const deadline = performance.now() + STOP_PATIENCE_MS;
  while (threadStates(pid).some((state) => !'TtZX'.includes(state)) && performance.now() < deadline)
    Atomics.wait(nobody, 0, 0, 1);
}

/** One letter for each thread; X for one that has just gone. */
function threadStates(pid: number): string[] {
  const threads = `/proc/${pid}/task`;
  return (attempt(() => readdirSync(threads)) ?? []).map((thread) => {
    const stat = attempt(() => readFileSync(`${threads}/${thread}/stat`, 'latin1'));
    // Behind the name, which stands in parentheses and may have some of its own.
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
