import { fork, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { endedWithTest } from '../fixtures/ended-with-test.js';
import { builtProgram } from '../support/built-program.js';
import { untilStopped } from '../support/child-process.js';

export type WriterCommand =
  | { readonly type: 'lock'; readonly resource: string }
  | {
      readonly type: 'write';
      /** How the row is guarded: by the table of tokens, by a token in the row, or not at all. */
      readonly guard: 'table' | 'row' | 'none';
      readonly balance: number;
    };

export type WriterReply =
  | { readonly done: true; readonly token: bigint }
  | { readonly done: false; readonly code: string };

/** A separate process that writes to Postgres under a lock. Killed when the test ends. */
export class WriterProcess implements AsyncDisposable {
  private constructor(private readonly child: ChildProcess) {}

  static start(connectString: string, database: string): WriterProcess {
    const child = fork(builtProgram('test/processes/fenced-writer'), [connectString, database], {
      // Tokens have 63 bits.
      serialization: 'advanced',
    });
    return endedWithTest(new WriterProcess(child));
  }

  /** One command at a time. A stopped process executes it when it continues. */
  async call(command: WriterCommand): Promise<WriterReply> {
    const ended = once(this.child, 'exit').then(([code]) => {
      throw new Error(`The writer ended with code ${String(code)}`);
    });
    ended.catch(() => {});
    const replied = once(this.child, 'message');
    this.child.send(command);
    const [reply] = (await Promise.race([replied, ended])) as [WriterReply];
    return reply;
  }

  stop(): void {
    this.child.kill('SIGSTOP');
    untilStopped(this.child.pid!);
  }

  continue(): void {
    this.child.kill('SIGCONT');
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const exited = once(this.child, 'exit');
    this.child.kill('SIGKILL');
    await exited;
  }
}
