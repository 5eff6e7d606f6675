import { Hold } from '../../lib/locking/hold.js';
import type { LockEvent } from '../../lib/locking/lock-event.interface.js';
import { LockEvents } from '../../lib/locking/lock-events.js';
import type { ReleaseMode, ResolvedLockOptions } from '../../lib/locking/lock-options.js';
import type { Release } from '../../lib/locking/lock-provider.interface.js';
import { FakeClock } from './fake-clock.js';
import { TestGrant } from './test-grant.js';

export const RESOURCE = 'order:42';

export interface HoldUnderTest {
  readonly held: Hold;
  readonly grant: TestGrant;
  readonly clock: FakeClock;
  /** In order: events, `abort <reason>` of the signal, `ended` when the lock is free. */
  readonly log: string[];
  readonly events: LockEvent[];
  readonly lockEvents: LockEvents;
}

export interface HoldOptions extends Partial<ResolvedLockOptions> {
  readonly grant?: TestGrant;
  readonly releaseMode?: ReleaseMode;
  /** Whether the signal is used from the start. */
  readonly watched?: boolean;
}

/** A hold that has just been granted. */
export function hold({
  grant = new TestGrant(),
  watched = true,
  releaseMode = 'confirmed',
  ...options
}: HoldOptions = {}): HoldUnderTest {
  const clock = new FakeClock();
  const lockEvents = new LockEvents(clock);
  const log: string[] = [];
  const events: LockEvent[] = [];
  lockEvents.events$.subscribe((event) => {
    events.push(event);
    log.push(event.type === 'lost' ? `lost ${event.reason}` : event.type);
  });
  const releasing = ({ freed }: Release): void => void freed.then(() => log.push('ended'));
  const held = new Hold(RESOURCE, { ...NO_OPTIONS, ...options }, grant, releasing, {
    clock,
    events: lockEvents,
    releaseMode,
    service: Symbol('service'),
  });
  if (watched) watch(held, log);
  held.start();
  return { held, grant, clock, log, events, lockEvents };
}

function watch({ signal }: Hold, log: string[]): void {
  signal.addEventListener('abort', () => {
    const { reason } = signal.reason as { reason: string };
    log.push(`abort ${reason}`);
  });
}

const NO_OPTIONS: ResolvedLockOptions = {
  ttl: 0,
  wait: Infinity,
  failure: 'open',
  minHold: 0,
  maxWaiters: Infinity,
  whenCallerLeaves: 'leave',
  reentrant: false,
  signal: undefined,
  owner: 'me',
  purpose: undefined,
  mode: 'exclusive',
  permits: undefined,
  fair: true,
};
