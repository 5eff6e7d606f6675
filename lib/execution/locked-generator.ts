import type { HoldGuard } from '../locking/hold-guard.js';
import { answerOfEnded, resume, type GeneratorRequest, type StepResult } from './generator-request.js';
import type { Generator } from './method-result.js';

/** A generator that has its lock. */
export interface OpenGenerator {
  readonly guard: HoldGuard;
  /** Called once, under the lock, with the first step. */
  readonly start: () => Generator;
}

/**
 * - `idle`: nothing is locked; `next` leads to `acquiring`, `return` and `throw` to `ended`;
 * - `acquiring`: the first step waits for the lock; a grant leads to `open`, everything else to `ended`;
 * - `open`: steps run under the lock, until one is the last, fails or finds the lock lost;
 * - `ended`: nothing runs any more.
 */
type State = 'idle' | 'acquiring' | 'open' | 'ended';

/**
 * An async generator under a lock, which is acquired with the first step and released with the last. Requests are
 * answered one after the other, as those of native generators are. One thing is different: `return` and `throw` do not
 * wait behind a step that still waits for the lock. They end the wait, and no step ever runs.
 */
export class LockedGenerator implements AsyncGenerator<unknown, unknown, unknown> {
  readonly [Symbol.toStringTag] = 'AsyncGenerator';
  readonly #requests: GeneratorRequest[] = [];
  readonly #waiting = new AbortController();
  #state: State = 'idle';
  #open: OpenGenerator | undefined;
  #steps: Generator | undefined;
  #answering = false;

  /** @param open acquires the lock; resolves null if the call is to be skipped */
  constructor(private readonly open: (signal: AbortSignal) => Promise<OpenGenerator | null>) {}

  /** A generator whose lock is held already: it is released however the generator is left, even before its first step. */
  static opened(open: OpenGenerator): LockedGenerator {
    const generator = new LockedGenerator(async () => open);
    generator.#state = 'open';
    generator.#open = open;
    return generator;
  }

  next(...values: [] | [unknown]): Promise<StepResult> {
    return this.#request('next', values);
  }

  return(value?: unknown): Promise<StepResult> {
    return this.#request('return', [value]);
  }

  throw(error: unknown): Promise<StepResult> {
    return this.#request('throw', [error]);
  }

  [Symbol.asyncIterator](): this {
    return this;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.return();
  }

  #request(method: GeneratorRequest['method'], values: GeneratorRequest['values']): Promise<StepResult> {
    return new Promise((resolve) => {
      this.#requests.push({ method, values, resolve });
      if (this.#state === 'acquiring' && method !== 'next') this.#leave();
      else if (this.#waiting.signal.aborted) this.#endAll();
      else if (!this.#answering) void this.#answerAll();
    });
  }

  /** The request that is being answered stays in the queue: leaving ends that one too. */
  async #answerAll(): Promise<void> {
    this.#answering = true;
    for (let request = this.#requests[0]; request !== undefined; request = this.#requests[0]) {
      const answer = this.#answer(request);
      // What the answer is, is the caller's business.
      await answer.catch(() => {});
      if (this.#waiting.signal.aborted) break;
      this.#requests.shift();
      request.resolve(answer);
    }
    this.#answering = false;
  }

  async #answer(request: GeneratorRequest): Promise<StepResult> {
    if (this.#state === 'idle') await this.#begin(request);
    if (this.#state !== 'open') return answerOfEnded(request);
    return this.#step(request, this.#open!);
  }

  async #begin({ method }: GeneratorRequest): Promise<void> {
    this.#state = method === 'next' ? 'acquiring' : 'ended';
    if (method !== 'next') return;
    try {
      const open = await this.open(this.#waiting.signal);
      if (this.#waiting.signal.aborted) open?.guard.end();
      else if (open === null) this.#state = 'ended';
      else {
        this.#state = 'open';
        this.#open = open;
      }
    } catch (error) {
      this.#state = 'ended';
      throw error;
    }
  }

  async #step(request: GeneratorRequest, { guard, start }: OpenGenerator): Promise<StepResult> {
    let result: StepResult;
    try {
      result = await guard.step(() => resume((this.#steps ??= start()), request));
    } catch (error) {
      this.#state = 'ended';
      await guard.fail(() => this.#steps?.return(undefined));
      throw error;
    }
    if (result.done !== true) return result;
    this.#state = 'ended';
    await guard.finish();
    return result;
  }

  #leave(): void {
    this.#state = 'ended';
    this.#waiting.abort();
    this.#endAll();
  }

  #endAll(): void {
    for (const request of this.#requests.splice(0)) request.resolve(answerOfEnded(request));
  }
}
