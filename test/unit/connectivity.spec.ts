import { beforeEach, expect, test } from 'vitest';
import { Connectivity } from '../../lib/locking/connectivity.js';
import { LockEvents } from '../../lib/locking/lock-events.js';
import { FakeClock } from './fake-clock.js';
import { CONNECTION } from './scripted-provider.js';

const cut = new Error('cut');
let connectivity: Connectivity;
let told: object[];

beforeEach(() => {
  const events = new LockEvents(new FakeClock());
  told = [];
  events.events$.subscribe(({ at: _at, ...event }) => told.push(event));
  connectivity = new Connectivity(events, () => {});
});

test('tells the events of the connection with what a log reader wants', () => {
  connectivity.ready(CONNECTION);
  connectivity.suspended(cut);
  connectivity.resumed(CONNECTION);
  connectivity.suspended(cut);
  connectivity.sessionExpired();
  connectivity.authenticationFailed();
  expect(told).toEqual([
    { type: 'ready', ...CONNECTION },
    { type: 'suspended', error: cut },
    { type: 'resumed', ...CONNECTION },
    { type: 'suspended', error: cut },
    { type: 'sessionExpired' },
    { type: 'authenticationFailed' },
  ]);
});
