import { fork, type ChildProcess } from 'node:child_process';
import { EventEmitter, once } from 'node:events';
import { builtProgram } from './built-program.js';
import { untilStopped } from './child-process.js';
import type { HistoryEvent } from './lock-history.js';

/** Options of the lock service and of an acquisition, as far as they survive JSON. */
export type JsonOptions = Record<string, unknown>;

export type LockCommand =
  | {
      readonly type: 'lock' | 'tryLock';
      readonly id: string;
      readonly resource: string;
      readonly options: JsonOptions;
    }
  | { readonly type: 'release'; readonly id: string }
  | { readonly type: 'loop'; readonly id: string; readonly loop: LoopOptions }
  | { readonly type: 'block'; readonly id: string; readonly ms: number }
  | {
      /** Holds until another process waits, and then blocks the event loop. */
      readonly type: 'workThenBlock';
      readonly id: string;
      readonly resource: string;
      readonly ms: number;
    }
  | { readonly type: 'isHeld'; readonly id: string }
  | { readonly type: 'queueLength'; readonly id: string; readonly resource: string; readonly length: number }
  | { readonly type: 'close'; readonly id: string };

export interface LoopOptions {
  readonly resources: readonly string[];
  readonly acquisitions: number;
  readonly holdMs: number;
  readonly lockOptions?: JsonOptions;
  /**
   * `together`: all resources at once, in the order of the list. `none`: no mutual exclusion, to prove that the checker can
   * fail. Default: one after the other.
   */
  readonly lock?: 'together' | 'none';
}

export interface CommandReply {
  readonly id: string;
  readonly command: LockCommand['type'];
  readonly error?: { readonly name: string; readonly message: string; readonly code?: string };
  readonly value?: unknown;
}

export type ChildMessage =
  | { readonly kind: 'started' }
  | { readonly kind: 'reply'; readonly reply: CommandReply }
  | { readonly kind: 'history'; readonly event: HistoryEvent };

const PROGRAM = builtProgram('test/processes/lock-process');

/**
 * A separate process that uses locks of the built library, and its history. It can be killed and stopped. It never
 * outlives this process, because it exits when the channel closes.
 */
export class LockProcess implements AsyncDisposable {
  readonly history: HistoryEvent[] = [];
  readonly #replies = new EventEmitter();
  readonly #told = new EventEmitter();
  #nextId = 0;
  #failure: Error | undefined;

  private constructor(private readonly child: ChildProcess) {
    child.on('message', (message: ChildMessage) => this.#receive(message));
    child.once('exit', (code) => {
      if (code !== null && code !== 0) this.#failed(code);
    });
    this.#replies.setMaxListeners(0);
    this.#told.setMaxListeners(0);
  }

  static async start(options: JsonOptions, env: Record<string, string> = {}): Promise<LockProcess> {
    const child = fork(PROGRAM, [JSON.stringify(options)], {
      stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
      env: { ...process.env, ...env },
      // Time stamps and tokens have 64 bits.
      serialization: 'advanced',
    });
    const lockProcess = new LockProcess(child);
    const failed = once(child, 'exit').then(([code]) => {
      throw new Error(`The lock process ended with code ${String(code)} before it was connected`);
    });
    await Promise.race([once(lockProcess.#told, 'started'), failed]);
    failed.catch(() => {});
    return lockProcess;
  }

  get pid(): number {
    return this.child.pid!;
  }

  /** Sends a command and resolves with its result; rejects with an error whose message contains the original name. */
  async call(
    command: LockCommand extends infer C ? (C extends LockCommand ? Omit<C, 'id'> : never) : never,
    id?: string,
  ): Promise<unknown> {
    const callId = id ?? `call-${(this.#nextId += 1)}`;
    const replied = once(this.#replies, `${command.type}:${callId}`);
    this.child.send({ ...command, id: callId });
    const [reply] = (await replied) as [CommandReply];
    if (reply.error !== undefined)
      throw Object.assign(new Error(`${reply.error.name}: ${reply.error.message}`), reply.error);
    return reply.value;
  }

  lock(id: string, resource: string, options: JsonOptions = {}): Promise<unknown> {
    return this.call({ type: 'lock', resource, options }, id);
  }

  /** Resolves when the queue of a resource, including its holder, has this length. */
  queueLength(resource: string, length: number): Promise<unknown> {
    return this.call({ type: 'queueLength', resource, length });
  }

  release(id: string): Promise<unknown> {
    return this.call({ type: 'release' }, id);
  }

  /** Resolves with the first matching event of the history, immediately if it has been reported already. */
  async told(
    what: HistoryEvent['what'],
    where: (event: HistoryEvent) => boolean = () => true,
  ): Promise<HistoryEvent> {
    for (;;) {
      const event = this.history.find((candidate) => candidate.what === what && where(candidate));
      if (event !== undefined) return event;
      await once(this.#told, 'history');
    }
  }

  /** SIGKILL, SIGSTOP, SIGCONT, SIGTERM. */
  signal(signal: NodeJS.Signals): void {
    this.child.kill(signal);
    if (signal === 'SIGSTOP') untilStopped(this.pid);
  }

  /** Throws if the process has failed: an unhandled error there must fail the test (H46). */
  async kill(): Promise<void> {
    if (this.#failure !== undefined) throw this.#failure;
    if (this.child.exitCode !== null || this.child.signalCode !== null) return;
    const exited = once(this.child, 'exit');
    this.child.kill('SIGKILL');
    await exited;
  }

  /** Closes the session and the process as an application does. */
  async close(): Promise<void> {
    const exited = once(this.child, 'exit');
    await this.call({ type: 'close' });
    await exited;
    if (this.#failure !== undefined) throw this.#failure;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.kill();
  }

  /** Rejects the pending calls; without any, the failure is reported when the process is disposed of. */
  #failed(code: number): void {
    this.#failure = new Error(`The lock process failed: it exited with code ${code}`);
    for (const heard of [this.#replies, this.#told]) {
      if (heard.listenerCount('error') > 0) heard.emit('error', this.#failure);
    }
  }

  #receive(message: ChildMessage): void {
    if (message.kind === 'reply')
      this.#replies.emit(`${message.reply.command}:${message.reply.id}`, message.reply);
    if (message.kind === 'history') this.history.push(message.event);
    this.#told.emit(message.kind, message);
  }
}
