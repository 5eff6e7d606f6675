import type { Generator } from '../locking/stream-result.js';

export type StepResult = IteratorResult<unknown, unknown>;

/** A pending call of a generator's `next`, `return` or `throw`. */
export interface GeneratorRequest {
  readonly method: 'next' | 'return' | 'throw';
  /** The arguments of the call, at most one. */
  readonly values: [] | [unknown];
  readonly resolve: (result: Promise<StepResult>) => void;
}

/** Forwards a request to a generator. */
export function resume(steps: Generator, { method, values }: GeneratorRequest): Promise<StepResult> {
  switch (method) {
    case 'next':
      return steps.next(...values);
    case 'return':
      return steps.return(values[0]);
    default:
      return steps.throw(values[0]);
  }
}

/** The answer of a generator that has ended. */
export async function answerOfEnded({ method, values: [value] }: GeneratorRequest): Promise<StepResult> {
  if (method === 'throw') throw value;
  return { done: true, value: method === 'return' ? await value : undefined };
}
