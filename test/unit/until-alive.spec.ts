import { beforeEach, expect, test } from 'vitest';
import { LazyAbort } from '../../lib/locking/lazy-abort.js';
import { QueuePositionLostError } from '../../lib/zookeeper/recipe/session-requests.js';
import { untilAlive } from '../../lib/zookeeper/recipe/until-alive.js';
import { SessionUnderTest, T } from './session-harness.js';

let subject: SessionUnderTest;
let abort: LazyAbort;

beforeEach(async () => {
  subject = new SessionUnderTest();
  abort = new LazyAbort();
  await subject.attach();
  subject.disconnect();
  await subject.clock.run(T);
  expect(subject.session.alive).toBe(false);
});

test('a head whose session may have expired waits until the servers acknowledge it', async () => {
  const waiting = untilAlive(subject.session, abort);
  subject.connect();
  await subject.acknowledge();
  await waiting;
  expect(subject.session.alive).toBe(true);
});

test('a head whose session has expired loses its place, while it waits and before (H05)', async () => {
  const waiting = untilAlive(subject.session, abort);
  subject.session.ended('expired');
  await expect(waiting).rejects.toThrow(QueuePositionLostError);
  await expect(untilAlive(subject.session, abort)).rejects.toThrow(QueuePositionLostError);
});

test('a head whose session may have expired waits no longer than its caller', async () => {
  const waiting = untilAlive(subject.session, abort);
  abort.abort(new Error('the caller has gone'));
  await expect(waiting).rejects.toThrow('the caller has gone');
});
