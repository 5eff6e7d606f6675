import { ForeignProcess } from './foreign-process.js';
import type { Command } from './installations.js';

type Request = 'acquire' | 'release' | 'participants' | `${'revoke' | 'try' | 'wait'} ${string}`;

/** A program that uses the locks of another library, and takes commands. */
export class ForeignClient implements AsyncDisposable {
  private constructor(private readonly process: ForeignProcess) {}

  /** Resolves when it has a session. */
  static async start(command: Command, args: readonly string[]): Promise<ForeignClient> {
    const client = new ForeignClient(ForeignProcess.start(command, args));
    await client.says('ready', 0);
    return client;
  }

  /** Resolves with the rest of the first line from now on that starts with `beginning`. */
  async asks(request: Request, beginning: string): Promise<string> {
    const from = this.process.lines.length;
    this.process.say(request);
    return this.says(beginning, from);
  }

  async says(beginning: string, from = 0): Promise<string> {
    const line = await this.process.line((said) => said.startsWith(beginning), from);
    return line.slice(beginning.length).trim();
  }

  /** Begins to wait for the lock. */
  acquires(): void {
    this.process.say('acquire');
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.process[Symbol.asyncDispose]();
  }
}
