import { ForeignProcess } from '../../../test/interop/foreign-process.js';
import type { Command } from '../../../test/interop/installations.js';
import type { WindowPlan, WindowReport } from '../process/window.js';
import { withTimeLimit } from './time-limit.js';

export interface WorkerSettings {
  readonly address: string;
  readonly root: string;
  /** ms */
  readonly sessionTimeout: number;
}

const START_LIMIT_MS = 60_000;

/** A process that locks with the library of a subject. README.md describes the protocol. It exits with this process. */
export class WorkerProcess implements AsyncDisposable {
  /** The number of lines that were read. */
  #read = 0;

  private constructor(private readonly process: ForeignProcess) {}

  /** Resolves when it is connected. */
  static async start(command: Command, settings: WorkerSettings): Promise<WorkerProcess> {
    const { address, root, sessionTimeout } = settings;
    const worker = new WorkerProcess(ForeignProcess.start(command, [address, root, String(sessionTimeout)]));
    await worker.#answer('ready', START_LIMIT_MS);
    return worker;
  }

  /** Resolves when the worker waits for `go`. It will write its grants to `file`. */
  async prepare({ keys, waiters, milliseconds, turns }: WindowPlan, file: string): Promise<void> {
    this.process.say(`window ${keys} ${waiters} ${milliseconds} ${turns} ${file}`);
    await this.#answer('prepared', START_LIMIT_MS);
  }

  async go(limitMs: number): Promise<WindowReport> {
    this.process.say('go');
    return JSON.parse(await this.#answer('done', limitMs)) as WindowReport;
  }

  /** Acquires a lock and keeps it; resolves with the time of the grant on the shared clock, ns. */
  async hold(limitMs: number): Promise<number> {
    this.process.say('hold');
    return Number(await this.#answer('granted', limitMs));
  }

  /** SIGKILL, as a crash. */
  [Symbol.asyncDispose](): Promise<void> {
    return this.process[Symbol.asyncDispose]();
  }

  /** The rest of the next line with this word. */
  async #answer(word: string, limitMs: number): Promise<string> {
    const prefix = `@${word}`;
    const line = this.process.line((candidate) => candidate.startsWith(prefix), this.#read);
    const found = await withTimeLimit(line, limitMs, `a worker that answers '${word}'`);
    this.#read = this.process.lines.length;
    return found.slice(prefix.length + 1);
  }
}
