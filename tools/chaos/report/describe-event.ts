import type { ProcessEvent } from '../history/process-event.js';

/** An event as a person reads it, without its time and its actor. */
export function describeEvent(event: ProcessEvent): string {
  switch (event.what) {
    case 'asked': {
      const wait = event.wait === undefined ? 'any time' : `${event.wait} ms`;
      const more = [
        ...(event.ttl > 0 ? [`ttl ${event.ttl} ms`] : []),
        ...(event.minHold > 0 ? [`minHold ${event.minHold} ms`] : []),
      ];
      return `asks for '${event.resource}' (${[event.verb, `waits ${wait}`, ...more].join(', ')})`;
    }
    case 'aborting':
      return 'aborts its wait';
    case 'granted':
      return `is granted it with token ${event.token}; isHeld() is ${event.held}`;
    case 'ended':
      return `ends without it: ${event.outcome}${event.detail === undefined ? '' : `, ${event.detail}`}`;
    case 'looked':
      return `isHeld() is ${event.held}`;
    case 'signalled':
      return `its signal aborts: ${event.detail}`;
    case 'releasing':
      return `has finished its work; isHeld() is ${event.held}`;
    case 'released':
      return `has given it back: ${event.outcome}${event.detail === undefined ? '' : `, ${event.detail}`}`;
    case 'told':
      return `event ${event.event}${event.requeued === true ? ' (requeued)' : ''}${event.detail === undefined ? '' : ` (${event.detail})`}`;
    case 'connection':
      return `connection ${event.state} ${event.detail}`.trimEnd();
    case 'lagged':
      return `stood still for ${event.ms} ms until now`;
    case 'warned':
      return `warns: ${event.detail}`;
    case 'left':
      return 'ends by itself';
    case 'unhandled':
      return `did not handle: ${event.detail}`;
  }
}
