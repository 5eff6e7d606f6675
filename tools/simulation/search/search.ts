import { fork, type ChildProcess } from 'node:child_process';
import { NOTHING, sum, type Figures } from '../trial/figures.js';
import { HANG, HANG_MS } from './hang.js';
import type { SeedThatRan, SeedToRun } from './searcher-protocol.js';

export interface SearchOptions {
  readonly seeds: Iterator<string, never>;
  readonly processes: number;
  readonly durationMs: number;
  /** A seed that takes longer fails, ms. @default five minutes */
  readonly hangMs?: number;
  /** For specs: what runs the seeds. */
  readonly program?: URL;
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

/** Runs seeds in several processes until one fails or the time is over. Those that run then are the last ones. */
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

/** 0 if no seed has failed, 1 if one has, 2 if the search has shown nothing: seeds without a grant violate nothing. */
export function exitCodeOf({ failing, figures: { seeds, grants } }: SearchResult): number {
  if (failing !== undefined) return 1;
  return seeds === 0 || grants === 0 ? 2 : 0;
}

class Search {
  readonly #start = performance.now();
  readonly #searchers: ChildProcess[] = [];
  readonly #limits: NodeJS.Timeout[] = [];
  #figures = NOTHING;
  #isLate = false;
  /** How many searchers run a seed. */
  #busy = 0;
  #failing: SearchResult['failing'];
  #ended: () => void = () => {};

  constructor(private readonly options: SearchOptions) {}

  get result(): SearchResult {
    const realMs = performance.now() - this.#start;
    return { figures: this.#figures, realMs, ...(this.#failing && { failing: this.#failing }) };
  }

  async run(): Promise<SearchResult> {
    const ended = new Promise<void>((resolve) => (this.#ended = resolve));
    for (let index = 0; index < this.options.processes; index += 1) this.#startSearcher();
    await ended;
    const { result } = this;
    for (const limit of this.#limits) clearTimeout(limit);
    for (const searcher of this.#searchers) searcher.kill('SIGKILL');
    return result;
  }

  /** Waits for the seeds that are running: one that never ends is a failure too. */
  end(): void {
    this.#isLate = true;
  }

  #startSearcher(): void {
    const { program = PROGRAM, hangMs = HANG_MS } = this.options;
    const searcher = fork(program);
    this.#searchers.push(searcher);
    let running = this.#deal(searcher);
    const limit = setTimeout(() => this.#fail(running, HANG), hangMs);
    this.#limits.push(limit);
    searcher.on('message', (message) => {
      this.#busy -= 1;
      this.#ran(message as SeedThatRan);
      if (this.#isLate) {
        clearTimeout(limit);
        if (this.#busy === 0) this.#ended();
        return;
      }
      running = this.#deal(searcher);
      limit.refresh();
    });
    // Also after the end, when it no longer matters.
    searcher.on('exit', (code, signal) => this.#fail(running, `exit ${code ?? signal}`));
  }

  #deal(searcher: ChildProcess): string {
    const message: SeedToRun = { seed: this.options.seeds.next().value };
    searcher.send(message);
    this.#busy += 1;
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
