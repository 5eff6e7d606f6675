import type { Generator } from './method-result.js';

export type StepResult = IteratorResult<unknown, unknown>;

/** One call of a generator's `next`, `return` or `throw` that waits for its answer. */
export interface GeneratorRequest {
  readonly method: 'next' | 'return' | 'throw';
  /** Passed on as they came. */
  readonly values: [] | [unknown];
  readonly resolve: (result: Promise<StepResult>) => void;
}

/** Passes a request on to a generator. */
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

/** What a generator answers that has ended. */
export async function answerOfEnded({ method, values: [value] }: GeneratorRequest): Promise<StepResult> {
  if (method === 'throw') throw value;
  return { done: true, value: method === 'return' ? await value : undefined };
}
