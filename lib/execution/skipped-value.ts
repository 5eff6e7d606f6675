import { EMPTY } from 'rxjs';
import type { LockedCall } from './locked-call.js';

/** The value that a skipped call resolves with. */
export function skippedValue(call: LockedCall): unknown {
  switch (call.answer()) {
    case 'events':
      return EMPTY;
    case 'subscription':
      // Without an iterable, GraphQL servers close the connection of the client with all of its subscriptions.
      return noEvents();
    default:
      return undefined;
  }
}

async function* noEvents(): AsyncGenerator<never> {}
