import { fork, type ChildProcess } from 'node:child_process';
import { HANG } from './hang.js';
import type { FailingSeed, SeedThatRan, SeedToRun } from './searcher-protocol.js';

export interface SearcherListener {
  ran(outcome: SeedThatRan): void;
  /** The process has ended, or was ended because its seed never does. */
  failed(failing: FailingSeed): void;
}

/** A process that runs one seed after another. */
export class Searcher {
  readonly #process: ChildProcess;
  #seed = '';
  #limit: NodeJS.Timeout | undefined;

  constructor(
    program: URL,
    private readonly hangMs: number,
    private readonly listener: SearcherListener,
  ) {
    this.#process = fork(program);
    this.#process.on('message', (message) => {
      clearTimeout(this.#limit);
      listener.ran(message as SeedThatRan);
    });
    this.#process.on('exit', (code, signal) => this.#fail(`exit ${code ?? signal}`));
  }

  run(seed: string): void {
    this.#seed = seed;
    this.#limit = setTimeout(() => this.#fail(HANG), this.hangMs);
    const message: SeedToRun = { seed };
    this.#process.send(message);
  }

  stop(): void {
    clearTimeout(this.#limit);
    this.#process.removeAllListeners('exit');
    this.#process.kill('SIGKILL');
  }

  #fail(failure: string): void {
    this.stop();
    this.listener.failed({ seed: this.#seed, failure });
  }
}
