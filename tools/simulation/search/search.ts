import { NOTHING, sum, type Figures } from '../trial/figures.js';
import { detectHang, type HangDetector } from './hang.js';
import { Searcher } from './searcher.js';
import type { FailingSeed } from './searcher-protocol.js';

export interface SearchOptions {
  readonly seeds: Iterator<string, never>;
  readonly processes: number;
  readonly durationMs: number;
  /** The search ends when so many seeds have failed. */
  readonly mostFailures: number;
  /** Says which seeds never end, and so fail. @default those that take longer than five minutes */
  readonly detectHang?: HangDetector;
  /** For specs: what runs the seeds. */
  readonly program?: URL;
  /** Called about once in a minute. */
  readonly progress: (found: SearchResult) => void;
}

export interface SearchResult {
  readonly figures: Figures;
  readonly realMs: number;
  /** In the order in which they were found. */
  readonly failing: readonly FailingSeed[];
}

const PROGRAM = new URL('../processes/searcher.js', import.meta.url);
const PROGRESS_MS = 60_000;

/** Runs seeds in several processes until enough have failed or the time is over. Those that run then are the last ones. */
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
  if (failing.length > 0) return 1;
  return seeds === 0 || grants === 0 ? 2 : 0;
}

class Search {
  readonly #start = performance.now();
  readonly #searchers = new Set<Searcher>();
  readonly #failing: FailingSeed[] = [];
  #figures = NOTHING;
  #isLate = false;
  #ended: () => void = () => {};

  constructor(private readonly options: SearchOptions) {}

  get result(): SearchResult {
    return { figures: this.#figures, realMs: performance.now() - this.#start, failing: [...this.#failing] };
  }

  async run(): Promise<SearchResult> {
    const ended = new Promise<void>((resolve) => (this.#ended = resolve));
    for (let index = 0; index < this.options.processes; index += 1) this.#startSearcher();
    await ended;
    const { result } = this;
    for (const searcher of this.#searchers) searcher.stop();
    return result;
  }

  /** Waits for the seeds that are running: one that never ends is a failure too. */
  end(): void {
    this.#isLate = true;
  }

  #startSearcher(): void {
    const { program = PROGRAM, detectHang: detect = detectHang } = this.options;
    const searcher = new Searcher(program, detect, {
      ran: ({ seed, figures, failure }) => {
        this.#figures = sum(this.#figures, figures);
        if (failure !== undefined) this.#failing.push({ seed, failure });
        this.#goOn(searcher);
      },
      failed: (failing) => {
        this.#failing.push(failing);
        this.#searchers.delete(searcher);
        this.#goOn(undefined);
      },
    });
    this.#searchers.add(searcher);
    searcher.run(this.options.seeds.next().value);
  }

  /** @param searcher undefined if it has ended, and another one must take its place */
  #goOn(searcher: Searcher | undefined): void {
    if (this.#failing.length >= this.options.mostFailures) this.#ended();
    else if (!this.#isLate) {
      if (searcher === undefined) this.#startSearcher();
      else searcher.run(this.options.seeds.next().value);
    } else {
      searcher?.stop();
      if (searcher !== undefined) this.#searchers.delete(searcher);
      if (this.#searchers.size === 0) this.#ended();
    }
  }
}
