import type { HoldGuard } from '../locking/hold-guard.js';
import { answerOfEnded, resume, type GeneratorRequest, type StepResult } from './generator-request.js';
import type { Generator } from '../locking/stream-result.js';

/** A generator whose lock is held. */
export interface OpenGenerator {
  readonly guard: HoldGuard;
  /** Called once, under the lock, at the first step. */
  readonly start: () => Generator;
}

/**
 * - `idle`: no lock; `next` leads to `acquiring`, `return` and `throw` to `ended`;
 * - `acquiring`: the first step waits for the lock; a grant leads to `open`, everything else to `ended`;
 * - `open`: steps run under the lock until the generator completes, fails or loses the lock;
 * - `ended`: final.
 */
type State = 'idle' | 'acquiring' | 'open' | 'ended';

/**
 * An async generator under a lock, which is acquired with the first step and released with the last. Like a native
 * generator, it answers requests in order, with one difference: `return` and `throw` are not queued behind a step that
 * waits for the lock. They end the wait, and no step runs.
 */
export class LockedGenerator implements AsyncGenerator<unknown, unknown, unknown> {
  readonly [Symbol.toStringTag] = 'AsyncGenerator';
  readonly #requests: GeneratorRequest[] = [];
  readonly #waiting = new AbortController();
  #state: State = 'idle';
  #open: OpenGenerator | undefined;
  #steps: Generator | undefined;
  #answering = false;

  /**
   * @param open acquires the lock; resolves with null to skip the call
   * @param unused is called instead, if `return` or `throw` end the generator before its first step
   */
  constructor(
    private readonly open: (signal: AbortSignal) => Promise<OpenGenerator | null>,
    private readonly unused: () => void = () => {},
  ) {}

  /** A generator whose lock is held already. Any end releases the lock, even `return` before the first step. */
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

  /** The current request stays in the queue, because leaving answers it too. */
  async #answerAll(): Promise<void> {
    this.#answering = true;
    for (let request = this.#requests[0]; request !== undefined; request = this.#requests[0]) {
      const answer = this.#answer(request);
      // A rejection is for the caller; here only the order matters.
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
    if (method !== 'next') return this.unused();
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
