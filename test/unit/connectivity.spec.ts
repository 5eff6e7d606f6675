import { beforeEach, describe, expect, test } from 'vitest';
import { Connectivity } from '../../lib/locking/connectivity.js';
import { LockEvents } from '../../lib/locking/lock-events.js';
import { FakeClock, settled } from './fake-clock.js';
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

describe('a wait that only makes sense with contact', () => {
  const never = new Promise<boolean>(() => {});

  test.for([true, false])('gives the outcome %s while connected', async (outcome) => {
    connectivity.ready(CONNECTION);
    await expect(connectivity.orInterrupted(Promise.resolve(outcome))).resolves.toBe(outcome);
  });

  test.for([
    ['suspended', () => connectivity.suspended(cut)],
    ['expired', () => connectivity.sessionExpired()],
    ['refused', () => connectivity.authenticationFailed()],
  ] as const)('ends when contact is %s', async ([, interrupt]) => {
    connectivity.ready(CONNECTION);
    const waits = Promise.all([connectivity.orInterrupted(never), connectivity.orInterrupted(never)]);
    interrupt();
    await expect(waits).resolves.toEqual([true, true]);
  });

  test('does not begin before the first connection, nor without contact', async () => {
    await expect(connectivity.orInterrupted(never)).resolves.toBe(true);
    connectivity.ready(CONNECTION);
    connectivity.suspended(cut);
    await expect(connectivity.orInterrupted(never)).resolves.toBe(true);
  });

  test('begins again when contact is back', async () => {
    connectivity.ready(CONNECTION);
    connectivity.suspended(cut);
    connectivity.resumed(CONNECTION);
    let ended = false;
    void connectivity.orInterrupted(never).then(() => (ended = true));
    await settled();
    expect(ended).toBe(false);
  });
});
