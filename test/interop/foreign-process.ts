import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import type { Command } from './installations.js';

/** A foreign program, its output and its exit. The end of its input makes it exit with this process. */
export class ForeignProcess implements AsyncDisposable {
  readonly lines: string[] = [];
  readonly #child: ChildProcess;
  readonly #exited: Promise<number | null>;
  /** Settles when all output was read, which may be after the exit. */
  readonly #closed: Promise<unknown>;
  #wake = (): void => {};

  private constructor({ program, args }: Command, more: readonly string[]) {
    // One pipe for both outputs, so that the order of the lines is kept.
    this.#child = spawn('/bin/sh', ['-c', 'exec "$0" "$@" 2>&1', program, ...args, ...more], {
      stdio: ['pipe', 'pipe', 'inherit'],
    });
    this.#child.stdin!.on('error', () => {}); // it may exit before it reads anything
    this.#exited = once(this.#child, 'exit').then(([code]) => code as number | null);
    this.#closed = once(this.#child, 'close');
    createInterface({ input: this.#child.stdout! }).on('line', (line) => {
      this.lines.push(line);
      this.#wake();
    });
    void this.#exited.then(() => this.#wake());
  }

  static start(command: Command, args: readonly string[]): ForeignProcess {
    return new ForeignProcess(command, args);
  }

  get pid(): number {
    return this.#child.pid!;
  }

  get hasExited(): boolean {
    return this.#child.exitCode !== null || this.#child.signalCode !== null;
  }

  say(line: string): void {
    this.#child.stdin!.write(`${line}\n`);
  }

  /** The first matching line from number `from` on. Rejects if the program exits without it. */
  async line(matches: (line: string) => boolean, from = 0): Promise<string> {
    for (;;) {
      const found = this.lines.slice(from).find(matches);
      if (found !== undefined) return found;
      if (this.hasExited) throw this.#failure();
      await new Promise<void>((resolve) => (this.#wake = resolve));
    }
  }

  /** Resolves when the program has exited with code 0 and all its output was read. */
  async end(): Promise<void> {
    await this.#closed;
    if ((await this.#exited) !== 0) throw this.#failure();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    // A script may leave a child process running, which then reads the end of its input.
    this.#child.stdin!.end();
    this.#child.kill('SIGKILL');
    await this.#exited;
  }

  #failure(): Error {
    return new Error(`${this.#child.spawnargs[3]} ended early:\n${this.lines.slice(-30).join('\n')}`);
  }
}
