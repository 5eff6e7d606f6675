import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import type { Command } from './installations.js';

/** A program of somebody else's, its lines and its end. It is told to end with this process by the end of its input. */
export class ForeignProcess implements AsyncDisposable {
  readonly lines: string[] = [];
  readonly #child: ChildProcess;
  readonly #exited: Promise<number | null>;
  /** All that it has said has been heard, which may be after its exit. */
  readonly #closed: Promise<unknown>;
  #heard = (): void => {};

  private constructor({ program, args }: Command, more: readonly string[]) {
    // One pipe for both, so that the order of what is said is kept.
    this.#child = spawn('/bin/sh', ['-c', 'exec "$0" "$@" 2>&1', program, ...args, ...more], {
      stdio: ['pipe', 'pipe', 'inherit'],
    });
    this.#child.stdin!.on('error', () => {}); // it may end before it is told anything
    this.#exited = once(this.#child, 'exit').then(([code]) => code as number | null);
    this.#closed = once(this.#child, 'close');
    createInterface({ input: this.#child.stdout! }).on('line', (line) => {
      this.lines.push(line);
      this.#heard();
    });
    void this.#exited.then(() => this.#heard());
  }

  static start(command: Command, args: readonly string[]): ForeignProcess {
    return new ForeignProcess(command, args);
  }

  get pid(): number {
    return this.#child.pid!;
  }

  say(line: string): void {
    this.#child.stdin!.write(`${line}\n`);
  }

  /** The first line from number `from` on of which this is true. Rejects if the program ends without it. */
  async line(isMeant: (line: string) => boolean, from = 0): Promise<string> {
    for (;;) {
      const found = this.lines.slice(from).find(isMeant);
      if (found !== undefined) return found;
      if (this.#child.exitCode !== null || this.#child.signalCode !== null) throw this.#failure();
      await new Promise<void>((resolve) => (this.#heard = resolve));
    }
  }

  /** Resolves when the program has ended well, and every line of it is there. */
  async end(): Promise<void> {
    await this.#closed;
    if ((await this.#exited) !== 0) throw this.#failure();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    // A script may leave a program of its own behind, which then reads the end of its input.
    this.#child.stdin!.end();
    this.#child.kill('SIGKILL');
    await this.#exited;
  }

  #failure(): Error {
    return new Error(`${this.#child.spawnargs[3]} ended early:\n${this.lines.slice(-30).join('\n')}`);
  }
}
