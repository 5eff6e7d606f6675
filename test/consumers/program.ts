import { spawn, type ChildProcess } from 'node:child_process';
import { eventually } from '../support/eventually.js';

export interface ProgramOptions {
  readonly cwd: string;
  readonly env?: Record<string, string>;
}

const DEADLINE_MS = 300_000;
const END_DEADLINE_MS = 30_000;
/** Jest's message about open handles, which it kills if it has workers and waits for if it has none. */
const LEFT_OVER = /Jest did not exit|failed to exit gracefully/;

/** A program in a separate process group. The group is killed when the program is disposed of. */
export class Program implements AsyncDisposable {
  /** All output so far. */
  output = '';
  readonly #ended: Promise<string>;
  #end: string | undefined;

  private constructor(
    private readonly child: ChildProcess,
    private readonly command: string,
  ) {
    child.stdout?.setEncoding('utf8').on('data', (text: string) => (this.output += text));
    child.stderr?.setEncoding('utf8').on('data', (text: string) => (this.output += text));
    this.#ended = new Promise((resolve) => {
      // All output has arrived at 'close', but not at 'exit'.
      child.once('close', (code, signal) => resolve((this.#end = signal ?? `code ${String(code)}`)));
      child.once('error', (error) => resolve((this.#end = error.message)));
    });
  }

  static start(command: string, args: readonly string[], { cwd, env }: ProgramOptions): Program {
    const child = spawn(command, args, {
      cwd,
      detached: true,
      stdio: ['ignore', 'pipe', 'pipe'],
      env: { ...environment(), ...env },
    });
    return new Program(child, [command, ...args].join(' '));
  }

  /** Resolves with the first match in the output. */
  async prints(pattern: RegExp): Promise<RegExpExecArray> {
    await eventually(() => pattern.test(this.output) || this.#end !== undefined, {
      timeoutMs: DEADLINE_MS,
      describe: `${String(pattern)} from ${this.command}`,
    });
    const match = pattern.exec(this.output);
    if (match === null) throw this.#failure(`ended with ${this.#end} before it printed ${String(pattern)}`);
    return match;
  }

  /** @throws Error with the output, if the program does not exit with code 0 in time */
  async succeeds(deadlineMs = DEADLINE_MS): Promise<string> {
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<string>((resolve) => {
      timer = setTimeout(() => resolve(`no end within ${deadlineMs} ms`), deadlineMs);
    });
    const end = await Promise.race([this.#ended, late]);
    clearTimeout(timer);
    if (end !== 'code 0') throw this.#failure(end);
    if (LEFT_OVER.test(this.output)) throw this.#failure('left something open');
    return this.output;
  }

  /** Sends SIGTERM. The program must close everything and exit with code 0, instead of being ended by the signal. */
  async terminates(): Promise<void> {
    this.child.kill('SIGTERM');
    await this.succeeds(END_DEADLINE_MS);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    if (this.child.pid === undefined) return;
    try {
      process.kill(-this.child.pid, 'SIGKILL');
    } catch {
      // The whole group has exited.
    }
    await this.#ended;
  }

  #failure(what: string): Error {
    return new Error(`${this.command}: ${what}\n${this.output}`);
  }
}

/** Runs a command line; resolves with its output. */
export async function run(commandLine: string, options: ProgramOptions): Promise<string> {
  await using program = Program.start('bash', ['-c', commandLine], options);
  return await program.succeeds();
}

/** The environment without variables of npm and tests, which would affect the npm and Node under test. */
function environment(): NodeJS.ProcessEnv {
  const inherited = Object.entries(process.env).filter(
    ([name]) => !/^(npm_|INIT_CWD$|NODE_OPTIONS$|NODE_ENV$|FORCE_COLOR$)/i.test(name),
  );
  return { ...Object.fromEntries(inherited), NO_COLOR: '1' };
}
