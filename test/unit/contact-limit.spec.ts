import { beforeEach, expect, test } from 'vitest';
import { LockUnavailableError } from '../../lib/locking/errors/lock-unavailable.error.js';
import { LazyAbort } from '../../lib/locking/lazy-abort.js';
import { ContactLimit } from '../../lib/zookeeper/session/contact-limit.js';
import { ServerSession } from '../../lib/zookeeper/session/server-session.js';
import { ScriptedClient } from './scripted-client.js';
import { SessionUnderTest } from './session-harness.js';

const CONNECT_TIMEOUT = 5_000;

let subject: SessionUnderTest;
let isOpen: boolean;

beforeEach(async () => {
  subject = new SessionUnderTest();
  isOpen = true;
  await subject.attach();
});

function limitOf(session = subject.session, caller?: LazyAbort): ContactLimit {
  const options = {
    clock: subject.clock,
    connectTimeout: CONNECT_TIMEOUT,
    unavailable: (resource?: string) => new LockUnavailableError(resource, 'there is no contact'),
    isOpen: () => isOpen,
  };
  const limit = new ContactLimit('orders', options, caller);
  limit.follow(session);
  return limit;
}

/** Connects again, without a commit. */
function shakeHands(): void {
  subject.disconnect();
  subject.connect();
}

test('a call in contact may take as long as it likes, and costs no timer', async () => {
  const { timers } = subject.clock;
  const limit = limitOf();
  expect(subject.clock.timers).toBe(timers);
  await subject.clock.run(CONNECT_TIMEOUT - 1);
  expect(limit.aborted).toBe(false);
  limit.end();
});

test('a call ends when there was no contact for connectTimeout, whatever it waits for', async () => {
  const limit = limitOf();
  subject.disconnect();
  await subject.clock.run(CONNECT_TIMEOUT - 1);
  expect(limit.aborted).toBe(false);
  await subject.clock.run(1);
  expect(limit.reason).toMatchObject({ code: 'LOCK_UNAVAILABLE', resource: 'orders' });
});

test('a handshake is no contact: servers that commit nothing may accept one after another', async () => {
  const limit = limitOf();
  shakeHands();
  await subject.clock.run(CONNECT_TIMEOUT / 2);
  shakeHands();
  await subject.clock.run(CONNECT_TIMEOUT / 2);
  expect(limit.reason).toBeInstanceOf(LockUnavailableError);
});

test('a commit is contact, from which the time begins again', async () => {
  const limit = limitOf();
  subject.disconnect();
  await subject.clock.run(CONNECT_TIMEOUT - 1);
  await subject.attach();
  subject.disconnect();
  await subject.clock.run(CONNECT_TIMEOUT - 1);
  expect(limit.aborted).toBe(false);
  await subject.clock.run(1);
  expect(limit.aborted).toBe(true);
});

test('each call waits for connectTimeout, however long others have waited', async () => {
  subject.disconnect();
  await subject.clock.run(3 * CONNECT_TIMEOUT);
  const limit = limitOf();
  await subject.clock.run(CONNECT_TIMEOUT - 1);
  expect(limit.aborted).toBe(false);
  await subject.clock.run(1);
  expect(limit.aborted).toBe(true);
});

test('a session that takes the place of one without contact has none either, before its first commit', async () => {
  subject.disconnect();
  const limit = limitOf();
  await subject.clock.run(CONNECT_TIMEOUT - 1);
  subject.session.ended('expired');
  limit.follow(successorOf(subject.session));
  expect(limit.aborted).toBe(false);
  await subject.clock.run(1);
  expect(limit.aborted).toBe(true);
});

test('a call that goes on in another session depends on that one alone', async () => {
  subject.disconnect();
  const limit = limitOf();
  await subject.clock.run(CONNECT_TIMEOUT - 1);
  const other = new SessionUnderTest();
  await other.attach();
  limit.follow(other.session);
  await subject.clock.run(CONNECT_TIMEOUT);
  expect(limit.aborted).toBe(false);
  limit.follow(subject.session);
  expect(limit.aborted).toBe(true);
});

test('a session that expires ends no call, and one that was closed or refused ends all', () => {
  const limit = limitOf();
  subject.session.ended('expired');
  expect(limit.aborted).toBe(false);
  const last = limitOf(successorOf(subject.session));
  isOpen = false;
  last.follow(subject.session);
  limit.end();
  const closed = new SessionUnderTest();
  last.follow(closed.session);
  closed.session.ended('closed');
  expect(last.reason).toBeInstanceOf(LockUnavailableError);
});

test('the abort of the caller ends the call, until the call is over', () => {
  const [first, second] = [new LazyAbort(), new LazyAbort()];
  const [one, two] = [limitOf(subject.session, first), limitOf(subject.session, second)];
  first.abort('enough');
  expect(one.reason).toBe('enough');
  two.end();
  second.abort('enough');
  expect(two.aborted).toBe(false);
});

test('a call that is over leaves no timer', async () => {
  subject.disconnect();
  const { timers } = subject.clock;
  const limit = limitOf();
  expect(subject.clock.timers).toBe(timers + 1);
  limit.end();
  subject.connect();
  subject.disconnect();
  expect(subject.clock.timers).toBe(timers);
});

function successorOf({ outOfContactSince }: ServerSession): ServerSession {
  const { clock } = subject;
  const createClient = () => new ScriptedClient();
  return new ServerSession({
    clock,
    outOfContactSince,
    sessionTimeout: 12_000,
    createClient,
    warn: () => {},
  });
}
