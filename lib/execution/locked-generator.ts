import type { HoldGuard } from '../locking/hold-guard.js';
import {
  answerOfEnded,
  forwardReturn,
  resume,
  type GeneratorRequest,
  type StepResult,
} from './generator-request.js';
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
 * generator, it answers requests in order, with two differences:
 * - `return` and `throw` are not queued behind a step that waits for the lock. They end the wait, and no step runs.
 * - `return` is not queued behind the only step that runs. With iterators such as that of a PubSub, it is what ends this
 *   step. A native generator queues it itself.
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
      this.#requests.push({ method, values, resolve, forwarded: this.#forwarded(method, values) });
      if (this.#state === 'acquiring' && method !== 'next') this.#leave();
      else if (this.#waiting.signal.aborted) this.#endAll();
      else if (!this.#answering) void this.#answerAll();
    });
  }

  /** The answer to a `return` that arrives while exactly one step runs. */
  #forwarded(
    method: GeneratorRequest['method'],
    values: GeneratorRequest['values'],
  ): Promise<StepResult> | undefined {
    const stepRuns = this.#state === 'open' && this.#requests.length === 1 && this.#steps !== undefined;
    return method === 'return' && stepRuns
      ? forwardReturn(this.#open!.guard, this.#steps!, values)
      : undefined;
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

  /** If a `return` was forwarded meanwhile, the generator ends with that, so that its clean-up is under the lock too. */
  async #step(request: GeneratorRequest, { guard, start }: OpenGenerator): Promise<StepResult> {
    let result: StepResult;
    try {
      result = await guard.step(() => request.forwarded ?? resume((this.#steps ??= start()), request));
    } catch (error) {
      const left = this.#requests[1]?.forwarded;
      if (left && guard.held.loss === undefined) throw error;
      this.#state = 'ended';
      await guard.fail(() => left ?? request.forwarded ?? this.#steps?.return(undefined));
      throw error;
    }
    if (result.done !== true || this.#requests[1]?.forwarded) return result;
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
