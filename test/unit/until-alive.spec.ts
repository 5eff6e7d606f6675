import { beforeEach, expect, test } from 'vitest';
import { LazyAbort } from '../../lib/locking/lazy-abort.js';
import { QueuePositionLostError, SessionRequests } from '../../lib/zookeeper/recipe/session-requests.js';
import { untilAlive } from '../../lib/zookeeper/recipe/until-alive.js';
import { SessionUnderTest, T } from './session-harness.js';

let subject: SessionUnderTest;
let abort: LazyAbort;
let requests: SessionRequests;

beforeEach(async () => {
  subject = new SessionUnderTest();
  abort = new LazyAbort();
  requests = new SessionRequests(subject.session, { clock: subject.clock } as never, 'r', abort);
  await subject.attach();
  subject.disconnect();
  await subject.clock.run(T);
  expect(subject.session.alive).toBe(false);
});

test('a head whose session may have expired waits until the servers acknowledge it', async () => {
  const waiting = untilAlive(requests, abort);
  subject.connect();
  await subject.acknowledge();
  await waiting;
  expect(subject.session.alive).toBe(true);
});

test('a head whose session has expired loses its place, while it waits and before (H05)', async () => {
  const waiting = untilAlive(requests, abort);
  subject.session.ended('expired');
  await expect(waiting).rejects.toThrow(QueuePositionLostError);
  await expect(untilAlive(requests, abort)).rejects.toThrow(QueuePositionLostError);
});

test('a head whose session ends on a connection, because another one is refused, loses its place (H05)', async () => {
  subject.connect();
  const waiting = untilAlive(requests, abort);
  await subject.clock.run(0);
  subject.session.ended('authenticationFailed');
  await expect(waiting).rejects.toThrow(QueuePositionLostError);
});

test('a head whose session may have expired, and that loses contact before it knows, waits no longer than others', async () => {
  subject.connect();
  const waiting = untilAlive(requests, abort);
  // It waits for an acknowledgement by now.
  await subject.clock.run(0);
  subject.disconnect();
  abort.abort(new Error('no contact for connectTimeout'));
  await expect(waiting).rejects.toThrow('no contact for connectTimeout');
});

test('a head whose session may have expired waits no longer than its caller', async () => {
  const waiting = untilAlive(requests, abort);
  abort.abort(new Error('the caller has gone'));
  await expect(waiting).rejects.toThrow('the caller has gone');
});
