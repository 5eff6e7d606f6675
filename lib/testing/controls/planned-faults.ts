import type { FaultAction, IncomingRequest } from '../server/traffic-control.js';
import type { Operation } from '../wire/operations.js';

/**
 * A fault that waits for its request.
 *
 * @publicApi
 */
export interface PlannedFault {
  /** Resolves when it has happened; never if it was cancelled before. */
  readonly happened: Promise<void>;
  /** Idempotent. */
  cancel(): void;
}

interface Plan {
  readonly operation: Operation;
  readonly action: FaultAction;
  readonly happened: () => void;
}

/** What is to happen to the next request of a kind. Of several plans for one kind each takes one request, in order. */
export class PlannedFaults {
  readonly #plans = new Set<Plan>();

  plan(operation: Operation, action: FaultAction): PlannedFault {
    let happened = (): void => {};
    const promise = new Promise<void>((resolve) => (happened = resolve));
    const plan: Plan = { operation, action, happened };
    this.#plans.add(plan);
    return { happened: promise, cancel: () => void this.#plans.delete(plan) };
  }

  decide({ operation }: IncomingRequest): FaultAction {
    for (const plan of this.#plans) {
      if (plan.operation !== operation) continue;
      this.#plans.delete(plan);
      plan.happened();
      return plan.action;
    }
    return 'serve';
  }
}
