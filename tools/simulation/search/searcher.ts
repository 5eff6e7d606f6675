import { fork, type ChildProcess } from 'node:child_process';
import { HANG, type HangDetector } from './hang.js';
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
  #stopDetecting: () => void = () => {};

  constructor(
    program: URL,
    private readonly detectHang: HangDetector,
    private readonly listener: SearcherListener,
  ) {
    this.#process = fork(program);
    this.#process.on('message', (message) => {
      this.#stopDetecting();
      listener.ran(message as SeedThatRan);
    });
    this.#process.on('exit', (code, signal) => this.#fail(`exit ${code ?? signal}`));
  }

  run(seed: string): void {
    this.#seed = seed;
    this.#stopDetecting = this.detectHang(() => this.#fail(HANG));
    const message: SeedToRun = { seed };
    this.#process.send(message);
  }

  stop(): void {
    this.#stopDetecting();
    this.#process.removeAllListeners('exit');
    this.#process.kill('SIGKILL');
  }

  #fail(failure: string): void {
    this.stop();
    this.listener.failed({ seed: this.#seed, failure });
  }
}
