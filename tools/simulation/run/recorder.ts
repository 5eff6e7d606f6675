import type { Journal } from '../../history/journal.interface.js';
import { byTime, nanoseconds } from '../../history/moments.js';
import type { NewProcessEvent, ProcessEvent } from '../../history/process-event.js';
import { OpenHold } from './open-hold.js';

/** The part of the scheduler that the recorder uses. */
interface Agenda {
  schedule(at: number, run: () => void): unknown;
}

/**
 * Records the events of all simulated processes, and checks all open holds of a resource whenever another one is granted: a
 * check costs no time, so that no overlap escapes it.
 */
export class Recorder {
  readonly #events: ProcessEvent[] = [];
  /** When the process knew, ms: later than the event if its thread was descheduled while it asked. */
  readonly #knownAt = new Map<ProcessEvent, bigint>();
  /** By attempt. */
  readonly #resources = new Map<string, string>();
  /** By resource. */
  readonly #open = new Map<string, OpenHold[]>();
  /** By resource. */
  readonly #releaseListeners = new Map<string, (() => void)[]>();
  readonly #failed = new Set<string>();
  readonly #everGranted = new Set<string>();
  /** When which actor was killed. */
  readonly #killed = new Map<string, bigint>();

  constructor(private readonly agenda: Agenda) {}

  /**
   * The journal of an incarnation.
   *
   * @param now the time of the simulation as the process sees it, ms
   */
  journal(actor: string, now: () => number): Journal {
    return {
      write: (event) => this.#write(actor, now(), event),
      writeHeld: (isHeld, event) => {
        const at = now();
        const held = isHeld();
        this.#writeHeld({ actor, at, knownAt: now(), now, isHeld, held }, event(held));
        return held;
      },
    };
  }

  /** Checks all open holds, so that a lost one that claims to be valid again is found. */
  checkAll(): void {
    for (const holds of this.#open.values()) for (const hold of holds) hold.check();
  }

  /** The actor whose hold of the resource is valid at this moment, if there is one. */
  holderOf(resource: string): string | undefined {
    return this.#open.get(resource)?.find((hold) => hold.isValid())?.actor;
  }

  /** Calls `listener` when the work of a hold of the resource is over, and its release begins. */
  onceReleased(resource: string, listener: () => void): void {
    this.#releaseListeners.set(resource, [...(this.#releaseListeners.get(resource) ?? []), listener]);
  }

  /** The attempt has ended, and was never granted a lock. */
  hasFailed(attempt: string): boolean {
    return this.#failed.has(attempt);
  }

  /** The attempt has neither been granted a lock nor ended, as far as its process has recorded. */
  isWaiting(attempt: string): boolean {
    return !this.#everGranted.has(attempt) && !this.#failed.has(attempt);
  }

  /** The process has ended, and nothing of it holds a lock. */
  ended(actor: string): void {
    for (const holds of this.#open.values())
      for (const { attempt } of holds.filter((hold) => hold.actor === actor)) this.#close(attempt);
  }

  /**
   * The process has ended so, without doing what it would have done by its own, later clock while it was descheduled.
   *
   * @param stoodStillFor until then, ms
   */
  killed(actor: string, at: number, stoodStillFor: number): void {
    this.ended(actor);
    if (stoodStillFor > 0) this.#write(actor, at, { what: 'lagged', ms: stoodStillFor });
    this.#killed.set(actor, nanoseconds(at));
  }

  /** In time order. */
  get events(): ProcessEvent[] {
    for (const holds of this.#open.values()) for (const hold of holds) hold.recordLastValid();
    return this.#events.filter((event) => this.#happened(event)).toSorted(byTime);
  }

  #happened(event: ProcessEvent): boolean {
    const killedAt = this.#killed.get(event.actor);
    return killedAt === undefined || (this.#knownAt.get(event) ?? event.at) <= killedAt;
  }

  #write(actor: string, at: number, event: NewProcessEvent, knownAt = at): void {
    if (event.what === 'asked') this.#resources.set(event.attempt, event.resource);
    if (event.what === 'granted') this.#everGranted.add(event.attempt);
    if (event.what === 'ended') {
      this.#resources.delete(event.attempt);
      this.#failed.add(event.attempt);
    }
    const recorded = { at: nanoseconds(at), actor, ...event };
    this.#events.push(recorded);
    if (knownAt > at) this.#knownAt.set(recorded, nanoseconds(knownAt));
  }

  #writeHeld(check: HoldCheck, event: NewProcessEvent): void {
    if (event.what === 'releasing') this.#releasing(event.attempt);
    // What was seen before is recorded before: on a thread that was descheduled, all that has the same time.
    if (event.what === 'checked' || event.what === 'extending')
      this.#holdOf(event.attempt)?.recordLastValid();
    // Others are judged by the grant, whether its process lives to see it or not.
    this.#write(check.actor, check.at, event, event.what === 'granted' ? check.at : check.knownAt);
    if (event.what === 'granted') this.#granted(event.attempt, check);
  }

  #granted(attempt: string, { actor, at, now, isHeld, held }: HoldCheck): void {
    const record = (time: number, valid: boolean): void =>
      this.#write(actor, time, { what: 'checked', attempt, held: valid });
    const holds = this.#holdsOf(attempt);
    holds.push(new OpenHold(attempt, actor, held, isHeld, now, record));
    checkRivals(holds);
    // The clocks of the others may show an earlier time, if this process was descheduled within its callback.
    if (holds.length > 1) this.agenda.schedule(at, () => checkRivals(holds));
  }

  #releasing(attempt: string): void {
    this.#close(attempt);
    const resource = this.#resources.get(attempt) ?? '';
    const listeners = this.#releaseListeners.get(resource) ?? [];
    this.#releaseListeners.delete(resource);
    for (const listener of listeners) listener();
  }

  #close(attempt: string): void {
    const holds = this.#holdsOf(attempt);
    const index = holds.findIndex((hold) => hold.attempt === attempt);
    for (const hold of index < 0 ? [] : holds.splice(index, 1)) hold.recordLastValid();
  }

  #holdOf(attempt: string): OpenHold | undefined {
    return this.#holdsOf(attempt).find((hold) => hold.attempt === attempt);
  }

  /** The open holds of the resource that the attempt has asked for. */
  #holdsOf(attempt: string): OpenHold[] {
    const resource = this.#resources.get(attempt);
    if (resource === undefined) throw new Error(`${attempt} has not asked for a lock`);
    const holds = this.#open.get(resource) ?? [];
    this.#open.set(resource, holds);
    return holds;
  }
}

/** A call of `isHeld()` of a hold, and its result. */
interface HoldCheck {
  readonly actor: string;
  readonly at: number;
  /** After the call. */
  readonly knownAt: number;
  readonly now: () => number;
  readonly isHeld: () => boolean;
  readonly held: boolean;
}

/** A hold without a rival overlaps with none. */
function checkRivals(holds: readonly OpenHold[]): void {
  if (holds.length > 1) for (const hold of holds) hold.check();
}
