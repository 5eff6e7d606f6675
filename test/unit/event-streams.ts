import type { Observable } from 'rxjs';
import type { NewLockEvent } from '../../lib/locking/lock-events.js';
import { CONNECTION } from './scripted-provider.js';

export const READY: NewLockEvent = { type: 'ready', ...CONNECTION };
export const RESUMED: NewLockEvent = { type: 'resumed', ...CONNECTION, server: 'zk2:2181' };
export const SUSPENDED: NewLockEvent = { type: 'suspended', error: new Error('cut') };
export const EXPIRED: NewLockEvent = { type: 'sessionExpired', session: CONNECTION.session };
export const CLOSED: NewLockEvent = { type: 'closed' };

export function busy(resource: string): NewLockEvent {
  return { type: 'busy', resource, owner: 'me', mode: 'exclusive', waitedMs: 0 };
}

/** The events of a stream so far, and `completed` at its end. */
export function record<T>(stream: Observable<T>, show: (value: T) => string): string[] {
  const log: string[] = [];
  stream.subscribe({ next: (value) => log.push(show(value)), complete: () => log.push('completed') });
  return log;
}

export const typeOf = ({ type }: { type: string }): string => type;
