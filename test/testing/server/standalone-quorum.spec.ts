import { beforeEach, expect, test } from 'vitest';
import { StandaloneQuorum } from '../../../lib/testing/server/standalone-quorum.js';
import { newSession, SessionTable, type Session } from '../../../lib/testing/sessions/session-table.js';
import { Store } from '../../../lib/testing/transactions/store.js';
import { FakeClock } from '../../unit/fake-clock.js';

let session: Session;
let clock: FakeClock;
let closed: bigint[];
let quorum: StandaloneQuorum;
beforeEach(() => {
  clock = new FakeClock();
  closed = [];
  session = newSession(5n, Buffer.alloc(16, 7), 1_000);
  const [store, sessions] = [new Store(clock, true), new SessionTable()];
  const options = { clock, store, sessions, tickTime: 500, containerCheckInterval: 60_000 };
  quorum = new StandaloneQuorum(options, {
    apply: ({ effect, ...moment }, applied) => {
      if (effect.kind === 'openSession') sessions.add(effect.session);
      if (effect.kind === 'closeSession') sessions.remove(effect.session);
      if (effect.kind === 'closeSession') closed.push(effect.session);
      applied?.(store.apply({ effect, ...moment }));
    },
  });
  quorum.commit({ kind: 'openSession', session });
});

test('a session without requests expires at the end of a tick', () => {
  clock.advance(1_499);
  expect(closed).toEqual([]);
  clock.advance(1);
  expect(closed).toEqual([5n]);
  expect(quorum.touch(5n)).toBe(false);
});

test('requests extend a session, and resuming changes its timeout', () => {
  clock.advance(900);
  expect(quorum.touch(5n)).toBe(true);
  clock.advance(900);
  quorum.resume(session, 3_000, () => {});
  clock.advance(2_900);
  expect(closed).toEqual([]);
});

test('a closed session does not expire', () => {
  quorum.commit({ kind: 'closeSession', session: 5n });
  clock.advance(60_000);
  expect(closed).toEqual([5n]);
});

test('stops with its server', () => {
  quorum.start();
  quorum.stop();
  expect(clock.timers).toBe(0);
});
