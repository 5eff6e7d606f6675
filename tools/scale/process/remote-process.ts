import { fork, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { builtProgram } from '../../../test/support/built-program.js';
import type { Answer, Call, Commands } from './commands.js';

interface Pending {
  readonly resolve: (value: unknown) => void;
  readonly reject: (error: Error) => void;
}

/** A process that runs a program in `tools/scale/processes` and executes its commands. It exits when the channel closes. */
export class RemoteProcess<C extends Commands<C>> implements AsyncDisposable {
  readonly #pending = new Map<number, Pending>();
  #calls = 0;

  private constructor(private readonly child: ChildProcess) {
    child.on('message', (answer: Answer) => this.#receive(answer));
    child.once('exit', (code, signal) => this.#ended(`The process ended with ${signal ?? `code ${code}`}.`));
  }

  /** Resolves when the program is ready for commands. */
  static async start<C extends Commands<C>>(
    program: string,
    settings: unknown,
    execArgv: readonly string[] = [],
  ): Promise<RemoteProcess<C>> {
    const child = fork(builtProgram(`tools/scale/processes/${program}`), [JSON.stringify(settings)], {
      stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
      execArgv: [...execArgv],
      // Maps and 64 bits survive.
      serialization: 'advanced',
    });
    const remote = new RemoteProcess<C>(child);
    await remote.#answerTo(0);
    return remote;
  }

  get pid(): number {
    return this.child.pid!;
  }

  call<K extends keyof C & string>(name: K, ...args: Parameters<C[K]>): Promise<Awaited<ReturnType<C[K]>>> {
    const call: Call = { id: (this.#calls += 1), name, args };
    const answer = this.#answerTo(call.id);
    this.child.send(call, (error) => {
      if (error) this.#ended(`A command could not be sent: ${error.message}`);
    });
    return answer as Promise<Awaited<ReturnType<C[K]>>>;
  }

  /** SIGKILL. Idempotent. */
  async kill(): Promise<void> {
    if (this.child.exitCode !== null || this.child.signalCode !== null) return;
    const exited = once(this.child, 'exit');
    this.child.kill('SIGKILL');
    await exited;
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.kill();
  }

  #answerTo(id: number): Promise<unknown> {
    const answer = new Promise<unknown>((resolve, reject) => this.#pending.set(id, { resolve, reject }));
    // A caller that kills the process needs no replies to earlier calls.
    answer.catch(() => {});
    return answer;
  }

  #receive({ id, value, error }: Answer): void {
    const pending = this.#pending.get(id);
    this.#pending.delete(id);
    if (error === undefined) pending?.resolve(value);
    else pending?.reject(new Error(error));
  }

  #ended(why: string): void {
    for (const { reject } of this.#pending.values()) reject(new Error(why));
    this.#pending.clear();
  }
}
