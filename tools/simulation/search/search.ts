import { fork, type ChildProcess } from 'node:child_process';
import { NOTHING, sum, type Figures } from '../trial/figures.js';
import type { SeedThatRan, SeedToRun } from './searcher-protocol.js';

export interface SearchOptions {
  readonly seeds: Iterator<string, never>;
  readonly processes: number;
  readonly durationMs: number;
  /** Called about once in a minute. */
  readonly progress: (found: SearchResult) => void;
}

export interface SearchResult {
  readonly figures: Figures;
  readonly realMs: number;
  /** The first that was found. */
  readonly failing?: { readonly seed: string; readonly failure: string };
}

const PROGRAM = new URL('../processes/searcher.js', import.meta.url);
const PROGRESS_MS = 60_000;

/** Runs seeds in several processes until one fails or the time is over. */
export async function search(options: SearchOptions): Promise<SearchResult> {
  const searching = new Search(options);
  const progress = setInterval(() => options.progress(searching.result), PROGRESS_MS);
  const end = setTimeout(() => searching.end(), options.durationMs);
  try {
    return await searching.run();
  } finally {
    clearInterval(progress);
    clearTimeout(end);
  }
}

class Search {
  readonly #start = performance.now();
  readonly #searchers: ChildProcess[] = [];
  #figures = NOTHING;
  #failing: SearchResult['failing'];
  #ended: () => void = () => {};

  constructor(private readonly options: SearchOptions) {}

  get result(): SearchResult {
    const realMs = performance.now() - this.#start;
    return { figures: this.#figures, realMs, ...(this.#failing && { failing: this.#failing }) };
  }

  /** Seeds that are still running count for nothing. */
  async run(): Promise<SearchResult> {
    const ended = new Promise<void>((resolve) => (this.#ended = resolve));
    for (let index = 0; index < this.options.processes; index += 1) this.#startSearcher();
    await ended;
    const { result } = this;
    for (const searcher of this.#searchers) searcher.kill('SIGKILL');
    return result;
  }

  end(): void {
    this.#ended();
  }

  #startSearcher(): void {
    const searcher = fork(PROGRAM);
    this.#searchers.push(searcher);
    let running = this.#deal(searcher);
    searcher.on('message', (message) => {
      this.#ran(message as SeedThatRan);
      running = this.#deal(searcher);
    });
    // Also after the end, when it no longer matters.
    searcher.on('exit', (code, signal) => this.#fail(running, `exit ${code ?? signal}`));
  }

  #deal(searcher: ChildProcess): string {
    const message: SeedToRun = { seed: this.options.seeds.next().value };
    searcher.send(message);
    return message.seed;
  }

  #ran({ seed, figures, failure }: SeedThatRan): void {
    this.#figures = sum(this.#figures, figures);
    if (failure !== undefined) this.#fail(seed, failure);
  }

  #fail(seed: string, failure: string): void {
    this.#failing ??= { seed, failure };
    this.#ended();
  }
}
