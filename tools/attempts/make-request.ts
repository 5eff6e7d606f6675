import type { LockService } from '../../lib/index.js';
import { LockClosedError } from '../../lib/locking/errors/lock-closed.error.js';
import { LockConfigurationError } from '../../lib/locking/errors/lock-configuration.error.js';
import { LockUnavailableError } from '../../lib/locking/errors/lock-unavailable.error.js';
import type { Journal } from '../history/journal.interface.js';
import type { ProcessEventOf, RequestOutcome } from '../history/process-event.js';
import { detailOf } from './outcome.js';

/** Of one lock. */
export interface RequestPlan {
  readonly resource: string;
  /** The new number of permits. */
  readonly permits?: number;
  /** The queue is inspected. Absent, and without `permits`: the holders are asked to release the lock. */
  readonly inspects?: boolean;
}

/** Asks the holders of a lock to release it, changes its number of permits, or inspects it, and records what comes of it. */
export async function makeRequest(
  request: string,
  plan: RequestPlan,
  { service, journal }: { readonly service: LockService; readonly journal: Journal },
): Promise<void> {
  const { resource, permits, inspects } = plan;
  const number = permits === undefined ? {} : { permits };
  const kind = inspects === true ? { inspects } : number;
  journal.write({ what: 'requesting', request, resource, ...kind });
  try {
    journal.write({ what: 'requested', request, ...(await answerTo(plan, service)) });
  } catch (error) {
    journal.write({ what: 'requested', request, outcome: outcomeOf(error), detail: detailOf(error) });
  }
}

async function answerTo(
  { resource, permits, inspects }: RequestPlan,
  service: LockService,
): Promise<Pick<ProcessEventOf<'requested'>, 'outcome' | 'holders'>> {
  if (inspects === true) {
    const { holders } = await service.inspect(resource);
    const tokens = holders.map(({ fencingToken }) => fencingToken);
    return { outcome: holders.length === 0 ? 'nobody' : 'seen', holders: tokens };
  }
  const isStored = await (permits === undefined
    ? service.requestRelease(resource)
    : service.setPermits(resource, permits));
  return { outcome: isStored ? 'stored' : 'nobody' };
}

function outcomeOf(error: unknown): RequestOutcome {
  if (error instanceof LockConfigurationError) return 'refused';
  if (error instanceof LockUnavailableError) return 'unavailable';
  return error instanceof LockClosedError ? 'closed' : 'untyped';
}
