import type { FaultAction, IncomingRequest } from '../server/traffic-control.js';
import type { Operation } from '../wire/operations.js';

/**
 * A fault that happens with a later request.
 *
 * @publicApi
 */
export interface PlannedFault {
  /** Resolves when the fault has happened; never if it was cancelled before. */
  readonly happened: Promise<void>;
  /** Withdraws the fault unless it has happened. Idempotent. */
  cancel(): void;
}

interface Plan {
  readonly operation: Operation;
  readonly action: FaultAction;
  readonly happened: () => void;
}

/** Faults for the next request of an operation. Several plans for one operation take one request each, in order. */
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
