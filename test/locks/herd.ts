import { createLockService, type HeldLock, type LockService } from '../../lib/index.js';
import { eventually } from '../support/eventually.js';
import { FaultProxy } from '../support/fault-proxy.js';

const LOCK_PATH = '/herd/till';
/** The waiters that join with at most so many ahead watch all of them, and their own node. */
export const NEAR_THE_HEAD = 3;
/** Several, because a server sends one notification per session, however many of its waiters watch the same node. */
const SESSIONS = 5;

interface Herd {
  readonly waiters: number;
  readonly releases: number;
  /** Long enough that no connection times out because the machine is busy: its waiters would list and watch again. */
  readonly sessionTimeout: number;
}

/** The traffic between the waiters and the server. */
export interface HerdTraffic {
  /** The nodes that the waiters watched before the first release. */
  readonly watched: readonly string[];
  /**
   * The nodes whose deletion the server has notified since then, one path for each notification. Without those near the
   * head of the queue when the waiters joined it, which are watched by several of them.
   */
  readonly notified: readonly string[];
  /** The number of lists of the queue requested since then. */
  readonly lists: number;
}

/** Passes a lock along a long queue, and records the traffic of the waiters. */
export async function herdTraffic(
  server: { host: string; port: number; connectString: string },
  { waiters, releases, sessionTimeout }: Herd,
): Promise<HerdTraffic> {
  await using proxy = await FaultProxy.start(server);
  // Each waiter has a node of its own.
  const options = { root: '/herd', sessionTimeout, drainTimeout: 0, localQueue: false };
  const places = [server, ...Array.from({ length: SESSIONS }, () => proxy)];
  const [outsider, ...services] = await Promise.all(
    places.map(({ connectString }) => createLockService({ ...options, connectString })),
  );
  try {
    return await passOnAlong(outsider!, services, proxy, { waiters, releases });
  } finally {
    await Promise.all([outsider!, ...services].map((locks) => locks.close()));
  }
}

async function passOnAlong(
  outsider: LockService,
  services: readonly LockService[],
  proxy: FaultProxy,
  { waiters, releases }: Omit<Herd, 'sessionTimeout'>,
): Promise<HerdTraffic> {
  const holder = await outsider.lock('till');
  let released = 0;
  let grants = 0;
  /** Released in the turn of the grant, long before a holder would watch its own node: all watches belong to waiters. */
  const passOn = (held: HeldLock): void => {
    grants += 1;
    if (released < releases) void held.release();
    released += 1;
  };
  for (let i = 0; i < waiters; i += 1) {
    services[i % SESSIONS]!.lock('till').then(passOn, () => {});
  }
  // Each waiter has read the owner ahead: away from the head with its watch, and near the head later.
  const allWatch = () =>
    proxy.count('setWatches', 'reply') === NEAR_THE_HEAD && proxy.count('getData', 'reply') === waiters;
  await eventually(allWatch, { timeoutMs: 200_000 });
  const before = proxy.frames.length;

  released += 1;
  await holder.release();
  await eventually(() => grants === releases, { timeoutMs: 60_000 });
  // Answered after all earlier notifications.
  await Promise.all(services.map((locks) => locks.inspect('nothing')));

  const requests = (type: string, from: number, to?: number) =>
    proxy.frames.slice(from, to).filter((frame) => frame.type === type && frame.direction === 'request');
  return {
    watched: [
      ...requests('setWatches', 0, before).flatMap(({ watched }) => watched!),
      ...requests('getData', 0, before).map(({ path }) => path!),
    ],
    notified: proxy.frames
      .slice(before)
      .filter(({ direction, path }) => direction === 'notification' && sequenceIn(path) > NEAR_THE_HEAD)
      .map(({ path }) => path!),
    lists: requests('getChildren2', before).filter(({ path }) => path === LOCK_PATH).length,
  };
}

/** Counted from 0, as the holder is. */
function sequenceIn(path: string | undefined): number {
  return Number(path?.slice(-10));
}
