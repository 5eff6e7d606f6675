import type { ChaosHistory, Life } from '../history/chaos-history.js';
import { groupBy } from '../history/group-by.js';
import { byTime } from '../history/moments.js';
import { actorOf, processOf } from '../history/names.js';
import type { ProcessEvent, ProcessEventOf } from '../history/process-event.js';

/** The time in which a hold was certainly valid: from its first to its last sight with `isHeld()` true. */
export interface Validity {
  readonly from: bigint;
  readonly to: bigint;
}

/** One attempt and all that is known of it. */
export interface Attempt {
  readonly name: string;
  readonly process: string;
  readonly life: Life | undefined;
  readonly resource: string;
  readonly asked: ProcessEventOf<'asked'>;
  readonly events: readonly ProcessEvent[];
  /** When it certainly stood in the queue. */
  readonly queuedAt: bigint | undefined;
  readonly grant: ProcessEventOf<'granted'> | undefined;
  /** The end of the acquisition: the grant, or the failure. */
  readonly end: ProcessEventOf<'granted' | 'ended'> | undefined;
  /** Absent if the hold was never seen to be valid. */
  readonly valid: Validity | undefined;
}

/** All attempts of a history, in the order in which they asked. */
export function attemptsOf(history: Pick<ChaosHistory, 'events' | 'lives'>): Attempt[] {
  const lives = new Map(history.lives.map((life) => [life.actor, life]));
  const ofAttempts = history.events.filter((event) => 'attempt' in event);
  const groups = groupBy(ofAttempts, ({ attempt }) => attempt);
  return [...groups].flatMap(([name, events]) => {
    const attempt = attemptOf(name, events.toSorted(byTime), lives.get(actorOf(name)));
    return attempt === undefined ? [] : [attempt];
  });
}

export function eventsOf<W extends ProcessEvent['what']>(
  { events }: Pick<Attempt, 'events'>,
  what: W,
): ProcessEventOf<W>[] {
  return events.filter((event): event is ProcessEventOf<W> => event.what === what);
}

function attemptOf(
  name: string,
  events: readonly ProcessEvent[],
  life: Life | undefined,
): Attempt | undefined {
  const [asked] = eventsOf({ events }, 'asked');
  if (asked === undefined) return undefined;
  const [grant] = eventsOf({ events }, 'granted');
  const [end] = [...eventsOf({ events }, 'granted'), ...eventsOf({ events }, 'ended')];
  const waiting = eventsOf({ events }, 'told').find(({ event }) => event === 'waiting');
  return {
    name,
    process: processOf(name),
    life,
    resource: asked.resource,
    asked,
    events,
    queuedAt: waiting?.at,
    grant,
    end,
    valid: validityOf(events),
  };
}

/** `isHeld()` turns false once and stays false, so that the hold was valid wherever a later look found it so. */
function validityOf(events: readonly ProcessEvent[]): Validity | undefined {
  const sights = events.filter((event) => 'held' in event && event.held);
  const [first, last] = [sights[0], sights.at(-1)];
  return first === undefined || last === undefined ? undefined : { from: first.at, to: last.at };
}
