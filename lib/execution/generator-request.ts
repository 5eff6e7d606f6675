import type { HoldGuard } from '../locking/hold-guard.js';
import type { Generator } from '../locking/stream-result.js';

export type StepResult = IteratorResult<unknown, unknown>;

/** A pending call of a generator's `next`, `return` or `throw`. */
export interface GeneratorRequest {
  readonly method: 'next' | 'return' | 'throw';
  /** The arguments of the call, at most one. */
  readonly values: [] | [unknown];
  readonly resolve: (result: Promise<StepResult>) => void;
  /** The answer of the generator to a `return` that was forwarded while a step ran. */
  readonly forwarded?: Promise<StepResult> | undefined;
}

/** Forwards a request to a generator. */
export function resume(
  steps: Generator,
  { method, values }: Pick<GeneratorRequest, 'method' | 'values'>,
): Promise<StepResult> {
  switch (method) {
    case 'next':
      return steps.next(...values);
    case 'return':
      return steps.return(values[0]);
    default:
      return steps.throw(values[0]);
  }
}

/** Passes a `return` on to a generator of which a step runs. It is answered in its turn. */
export function forwardReturn(
  guard: HoldGuard,
  steps: Generator,
  values: GeneratorRequest['values'],
): Promise<StepResult> | undefined {
  try {
    const answer = guard.enter(async () => resume(steps, { method: 'return', values }));
    answer.catch(() => {}); // thrown in its turn
    return answer;
  } catch {
    return undefined; // the lock is lost, so the running step fails and then cleans up
  }
}

/** The answer of a generator that has ended. */
export async function answerOfEnded({ method, values: [value] }: GeneratorRequest): Promise<StepResult> {
  if (method === 'throw') throw value;
  return { done: true, value: method === 'return' ? await value : undefined };
}
