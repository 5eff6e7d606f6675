import { beforeEach, expect, test } from 'vitest';
import { ConnectionMonitor } from '../../lib/locking/connection-monitor.js';
import { LockEvents } from '../../lib/locking/lock-events.js';
import { FakeClock } from './fake-clock.js';
import { CONNECTION } from './scripted-provider.js';

const cut = new Error('cut');
let connectionMonitor: ConnectionMonitor;
let emitted: object[];

beforeEach(() => {
  const events = new LockEvents(new FakeClock());
  emitted = [];
  events.events$.subscribe(({ at: _at, ...event }) => emitted.push(event));
  connectionMonitor = new ConnectionMonitor(events, () => {});
});

test('emits the events of the connection with the fields for a log', () => {
  connectionMonitor.ready(CONNECTION);
  connectionMonitor.suspended(cut);
  connectionMonitor.resumed(CONNECTION);
  connectionMonitor.suspended(cut);
  connectionMonitor.sessionExpired(CONNECTION.session);
  connectionMonitor.authenticationFailed();
  expect(emitted).toEqual([
    { type: 'ready', ...CONNECTION },
    { type: 'suspended', error: cut },
    { type: 'resumed', ...CONNECTION },
    { type: 'suspended', error: cut },
    { type: 'sessionExpired', session: CONNECTION.session },
    { type: 'authenticationFailed' },
  ]);
});
