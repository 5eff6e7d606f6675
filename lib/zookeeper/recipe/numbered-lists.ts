import { orAborted } from '../../locking/abortable.js';
import type { RequestBounds } from '../client/zookeeper-client.interface.js';
import type { ServerSession } from '../session/server-session.js';
import { readPermits } from './permits-data.js';

/** The lock path of a semaphore as one session sees it. */
interface SemaphorePath {
  readonly session: ServerSession;
  readonly lockPath: string;
}

/** The members of a semaphore's queue, and the number of permits, read behind them. */
interface NumberedList {
  readonly children: readonly string[];
  readonly permits: number | undefined;
}

interface Reading {
  readonly list: Promise<NumberedList>;
  /** From then on it may be older than what a caller has done before. */
  hasBegun: boolean;
  callers: number;
}

/** How many share a list: each of them has to watch others when it comes, and the event loop is blocked meanwhile. */
const MOST_CALLERS = 64;

/**
 * Lists of semaphores, each with the number of permits in the same write. Of each priority, one is under way at a time, and those
 * who ask meanwhile share the next ones: if thousands of callers join at once, few of them need a list of their own.
 */
export class NumberedLists {
  /** The last one asked for, by priority and lock path: an urgent list does not wait for those of joining callers. */
  readonly #bySession = new WeakMap<ServerSession, Map<string, Reading>>();

  /** A list that is made after this call. Throws as `getChildren` does. */
  async read(path: SemaphorePath, { abort, ...bounds }: RequestBounds): Promise<NumberedList> {
    const readings = this.#of(path.session);
    const key = `${bounds.priority ?? ''}${path.lockPath}`;
    const last = readings.get(key);
    const isOpen = last !== undefined && !last.hasBegun && last.callers < MOST_CALLERS;
    const reading = isOpen ? last : addTo(readings, key, (): Promise<NumberedList> => readBoth(path, bounds));
    reading.callers += 1;
    const [list] = await orAborted(abort, [reading.list]);
    return list!;
  }

  #of(session: ServerSession): Map<string, Reading> {
    const readings = this.#bySession.get(session) ?? new Map<string, Reading>();
    this.#bySession.set(session, readings);
    return readings;
  }
}

/** One that begins when the last one of this key has ended. */
function addTo(readings: Map<string, Reading>, key: string, readList: () => Promise<NumberedList>): Reading {
  const last = readings.get(key);
  const begin = (): Promise<NumberedList> => {
    reading.hasBegun = true;
    return readList();
  };
  const reading: Reading = {
    hasBegun: last === undefined,
    callers: 0,
    list: last === undefined ? readList() : settled(last.list).then(begin),
  };
  readings.set(key, reading);
  void settled(reading.list).then(() => {
    if (readings.get(key) === reading) readings.delete(key);
  });
  return reading;
}

async function readBoth(
  { session: { client }, lockPath }: SemaphorePath,
  bounds: RequestBounds,
): Promise<NumberedList> {
  const [children, { data }] = await Promise.all([
    // Not shared with others who list: that would move it behind the number.
    client.getChildren(lockPath, { ...bounds, isShared: false }),
    client.getData(lockPath, bounds),
  ]);
  return { children, permits: readPermits(data) };
}

function settled(list: Promise<NumberedList>): Promise<unknown> {
  return list.catch(() => {});
}
