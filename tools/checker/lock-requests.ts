import { groupBy } from '../history/group-by.js';
import { processOf } from '../history/names.js';
import type { ProcessEventOf, RequestOutcome } from '../history/process-event.js';
import type { Incarnation, RunHistory } from '../history/run-history.js';

/** A request to release a lock, to change the number of its permits, or to inspect it. */
export interface LockRequest {
  readonly name: string;
  readonly actor: string;
  readonly process: string;
  readonly incarnation: Incarnation | undefined;
  readonly resource: string;
  readonly kind: 'release' | 'permits' | 'inspection';
  /** The new number, of `permits`. */
  readonly permits: number | undefined;
  /** When the call was made. */
  readonly from: bigint;
  /** When it returned, or its process ended. Who the holders are is read in between. */
  readonly to: bigint;
  /** Undefined if it has not returned. */
  readonly outcome: RequestOutcome | undefined;
  /** Of an inspection that has returned: the tokens of the holders that it shows, as far as known. */
  readonly holders: readonly bigint[] | undefined;
  /** How often it may have been stored: it is repeated when a reply was lost with the connection. */
  readonly most: number;
}

/** All requests of a history, by time. */
export function lockRequests(history: RunHistory): LockRequest[] {
  const { events, incarnations, run } = history;
  const ends = new Map(
    events.flatMap((event) => (event.what === 'requested' ? [[event.request, event] as const] : [])),
  );
  const suspensions = groupBy(
    events.filter((event) => event.what === 'connection' && event.state === 'suspended'),
    ({ actor }) => actor,
  );
  const asked = events.filter((event): event is ProcessEventOf<'requesting'> => event.what === 'requesting');
  return asked.map(({ request, actor, resource, permits, inspects, at: from }) => {
    const incarnation = incarnations.find((one) => one.actor === actor);
    const end = ends.get(request);
    const to = end?.at ?? incarnation?.to ?? run.endedAt;
    const lost = (suspensions.get(actor) ?? []).filter(({ at }) => at >= from && at <= to).length;
    // One of several sessions may lose its connection without an event.
    const most = incarnation?.hasOneSession === false ? Infinity : 1 + lost;
    return {
      name: request,
      actor,
      process: processOf(actor),
      incarnation,
      resource,
      kind: kindOf({ permits, inspects }),
      permits,
      from,
      to,
      outcome: end?.outcome,
      holders: end?.holders?.filter((token) => token !== undefined),
      most,
    };
  });
}

function kindOf({
  permits,
  inspects,
}: Pick<ProcessEventOf<'requesting'>, 'permits' | 'inspects'>): LockRequest['kind'] {
  if (inspects === true) return 'inspection';
  return permits === undefined ? 'release' : 'permits';
}
