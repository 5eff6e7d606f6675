import type { FaultRecord } from '../history/fault-record.js';
import { nanoseconds } from '../history/moments.js';
import type { RunHistory } from '../history/run-history.js';
import type { Attempt, Validity } from './attempt.js';
import { sessionMs, type Health } from './health.js';
import { later } from './intervals.js';
import { outsideEnds } from './outside-ends.js';

type Holder = Attempt & { readonly valid: Validity };

/** Whether the lock had been freed from outside when `successor` had it, and the holder could not know that yet. */
export function freedFromOutside(
  holder: Holder,
  successor: Holder,
  history: RunHistory,
  health: Health,
): boolean {
  return outsideEnds(holder, history).some((fault) => {
    if (fault.from > successor.valid.from || wasTold(fault, holder, history, health)) return false;
    const known = fault.to + nanoseconds(knownWithin(fault, holder, history, health));
    // Contact from time to time renews the deadline, and may end before the watch is back.
    const isOnlyWatched = holder.failsClosed || fault.kind === 'contenderDeletion';
    return holder.valid.to <= known || (isOnlyWatched && !hasContact(holder, history, health));
  });
}

/**
 * How long it may take a holder to learn of the end of its lock, ms. Of a deletion, a watch tells it; if it loses contact before
 * that, its deadline does.
 */
function knownWithin(
  { kind, from, to }: FaultRecord,
  { incarnation, process }: Holder,
  { run }: RunHistory,
  health: Health,
): number {
  const { sessionTimeout = 0 } = incarnation ?? {};
  const { deletionKnownWithin: notice } = run.precision;
  if (kind !== 'contenderDeletion' || notice === undefined) return sessionTimeout;
  const [since, until] = [from - nanoseconds(sessionMs(incarnation, run)), to + nanoseconds(notice)];
  const isUndisturbed = health.ofServers(since, until) && health.ofProcess(process, since, until);
  return isUndisturbed ? Math.min(notice, sessionTimeout) : notice + sessionTimeout;
}

/**
 * Whether the holder had contact for so long that its watch, which comes back with each connection, must have told it of the
 * deletion. A closed lock has no watch before it has moved to the next session, which is not always the one that has contact.
 */
function wasTold({ kind, to }: FaultRecord, holder: Holder, history: RunHistory, health: Health): boolean {
  const { valid, process, incarnation, failsClosed } = holder;
  const { deletionKnownWithin: notice } = history.run.precision;
  if (kind !== 'contenderDeletion' || notice === undefined) return false;
  if (failsClosed && incarnation?.hasOneSession !== true) return false;
  const since = valid.to - nanoseconds(notice);
  return (
    since >= later(to, valid.from) &&
    health.ofServers(since, valid.to) &&
    health.ofProcess(process, since, valid.to) &&
    !noticesSilence(holder, history)
  );
}

/** Whether its process may find later that its connection was dead when it was checked last: within a session timeout. */
function noticesSilence({ asked, valid, incarnation }: Holder, { events, run }: RunHistory): boolean {
  const until = valid.to + nanoseconds(sessionMs(incarnation, run));
  if (incarnation === undefined || incarnation.to < until) return true;
  return events.some(
    (event) =>
      event.what === 'connection' &&
      event.actor === asked.actor &&
      event.state === 'suspended' &&
      event.at > valid.to &&
      event.at <= until,
  );
}

/** Whether the holder has been undisturbed long enough to know what its node is. */
function hasContact({ valid, incarnation, process }: Holder, { run }: RunHistory, health: Health): boolean {
  const { deletionKnownWithin, noise } = run.precision;
  const notice = deletionKnownWithin ?? noise;
  const since = valid.to - nanoseconds(sessionMs(incarnation, run) + notice);
  return health.ofServers(since, valid.to) && health.ofProcess(process, since, valid.to);
}
