import type { ProcessEvent, ProcessEventOf } from '../history/process-event.js';

/** Describes an event for the failure trace, without its time and its actor. */
export function describeEvent(event: ProcessEvent): string {
  switch (event.what) {
    case 'asked': {
      const wait = event.wait === undefined ? 'without limit' : `up to ${event.wait} ms`;
      const more = [
        ...(event.mode === 'exclusive' ? [] : [`mode ${event.mode}`]),
        ...(event.nestedIn === undefined ? [] : [`in the work of ${event.nestedIn}`]),
        ...(event.ttl > 0 ? [`ttl ${event.ttl} ms`] : []),
        ...(event.minHold > 0 ? [`minHold ${event.minHold} ms`] : []),
      ];
      return `asks for '${event.resource}' (${[event.verb, `waits ${wait}`, ...more].join(', ')})`;
    }
    case 'aborting':
      return 'aborts its wait';
    case 'granted':
      return `is granted the lock with token ${event.token}; isHeld() is ${event.held}`;
    case 'ended':
      return `ends without the lock: ${event.outcome}${event.detail === undefined ? '' : `, ${event.detail}`}`;
    case 'checked':
      return `isHeld() is ${event.held}`;
    case 'extending':
      return event.held
        ? `extends its hold: ttl ${event.ttl} ms`
        : 'cannot extend its hold, which it has lost';
    case 'extended':
      return 'has extended its hold';
    case 'signalled':
      return `its signal aborts: ${event.detail}`;
    case 'releasing':
      return `has finished its work; isHeld() is ${event.held}`;
    case 'released':
      return `has released the lock: ${event.outcome}${event.detail === undefined ? '' : `, ${event.detail}`}`;
    case 'emitted':
      return `event ${event.event}${event.requeued === true ? ' (requeued)' : ''}${event.detail === undefined ? '' : ` (${event.detail})`}`;
    case 'runBegan':
      return `runs the job of ${new Date(event.scheduledAt).toISOString()} with token ${event.token}`;
    case 'runWorked':
      return `has finished the work of the job with token ${event.token}${event.fails === true ? ', which fails' : ''}; isHeld() is ${event.held}`;
    case 'runCompleted':
      return `has completed the job with token ${event.token}`;
    case 'runFailed':
      return `has been told that the job with token ${event.token} has failed`;
    case 'requesting':
      return `${requestText(event)} (${event.request})`;
    case 'requested':
      return `${event.request} ends: ${event.outcome}${event.holders === undefined ? '' : `, holders [${event.holders.join(', ')}]`}${event.detail === undefined ? '' : `, ${event.detail}`}`;
    case 'connection':
      return `connection ${event.state} ${event.detail}`.trimEnd();
    case 'lagged':
      return `was stalled for the last ${event.ms} ms`;
    case 'warned':
      return `warns: ${event.detail}`;
    case 'exited':
      return 'exits';
    case 'unhandled':
      return `did not handle: ${event.detail}`;
  }
}

function requestText({ resource, permits, inspects }: ProcessEventOf<'requesting'>): string {
  if (inspects === true) return `inspects '${resource}'`;
  return permits === undefined
    ? `asks the holders of '${resource}' to release it`
    : `gives '${resource}' ${permits} permits`;
}
