import type { Predecessor, QueuedPlace } from '../lock-provider.interface.js';
import type { StoreEntry } from './store-entry.js';
import type { Turn } from './turn.js';

/** Who is ahead of the first local waiter, as far as known. */
export interface Ahead {
  /** The holder if there is one, and those who wait. */
  readonly count: number;
  /** How many of those have the lock, or have it next. */
  readonly holders: number;
  /** False if there may be more or fewer. */
  readonly isExact: boolean;
  /** Whom the first local waiter waits for, if that is known. */
  readonly predecessor: Predecessor | undefined;
  /** Who has the lock, if that is known. */
  readonly holder: Predecessor | undefined;
}

/** The place in the queue of the store, as far as there is one. */
type Entry = Partial<Pick<StoreEntry, 'place' | 'predecessor'>>;

/** For callers who exclude each other. Contenders behind the place of this process are ahead of none of them. */
export function aheadOfCallers(turn: Turn | undefined, { place, predecessor }: Entry): Ahead | undefined {
  const holder = turn?.firstHolder?.owner;
  if (turn === undefined || place !== undefined) return place && placeAhead(place, predecessor, holder);
  const count = (turn.isHeld ? 1 : 0) + (turn.others ?? 0);
  return { count, holders: 1, isExact: turn.isExact, predecessor: holder, holder };
}

/** For readers. While the process has the lock, a new one queues behind the others, if there are any. */
export function aheadOfReaders(turn: Turn | undefined, { place, predecessor }: Entry): Ahead | undefined {
  if (turn === undefined || place !== undefined) return place && placeAhead(place, predecessor);
  if (turn.others === undefined) return undefined;
  // They wait for this process, and perhaps for others.
  const count = turn.others === 0 ? 0 : 1 + turn.others;
  return { count, holders: 1, isExact: false, predecessor: undefined, holder: undefined };
}

function placeAhead(
  { ahead, holders }: QueuedPlace,
  predecessor: Predecessor | undefined,
  localHolder?: Predecessor,
): Ahead {
  const isNext = ahead <= holders;
  const holder = localHolder ?? (isNext ? predecessor : undefined);
  return {
    count: ahead,
    holders,
    isExact: true,
    predecessor: isNext ? holder : (predecessor ?? localHolder),
    holder,
  };
}
