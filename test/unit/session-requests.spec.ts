import { beforeEach, expect, test } from 'vitest';
import { ZooKeeperError } from '../../lib/zookeeper/client/zookeeper-error.js';
import { QueuePositionLostError, SessionRequests } from '../../lib/zookeeper/recipe/session-requests.js';
import { SessionUnderTest } from './session-harness.js';

const EXPIRED = new ZooKeeperError('SESSION_EXPIRED', 'expired');

let subject: SessionUnderTest;
let requests: SessionRequests;
let calls: number;

beforeEach(async () => {
  subject = new SessionUnderTest();
  const context = { clock: subject.clock, retry: { maxRetryCount: 0, delay: () => 100 } };
  requests = new SessionRequests(subject.session, context, 'r', undefined);
  calls = 0;
  await subject.attach();
});

/** Fails at first. */
async function failing(error: Error): Promise<string> {
  calls += 1;
  if (calls === 1) throw error;
  return 'done';
}

test('a request is repeated if a server says that the session has expired, and the session goes on', async () => {
  const outcome = requests.persist(() => failing(EXPIRED));
  subject.disconnect();
  await subject.clock.run(100);
  expect(calls).toBe(1);
  subject.connect();
  await subject.acknowledge();
  expect(await outcome).toBe('done');
});

test('a request whose session is said to have expired is not repeated at once on the same connection', async () => {
  const outcome = requests.persist(() => failing(EXPIRED));
  await subject.clock.run(99);
  expect(calls).toBe(1);
  await subject.clock.run(1);
  expect(await outcome).toBe('done');
});

test('a request is not repeated if the session has expired indeed', async () => {
  const outcome = requests.persist(() => failing(EXPIRED));
  subject.disconnect();
  subject.session.ended('expired');
  await expect(outcome).rejects.toThrow(QueuePositionLostError);
  expect(calls).toBe(1);
});
