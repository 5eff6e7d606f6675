import { beforeEach, expect, test } from 'vitest';
import { uncaughtExceptions } from '../support/uncaught-exceptions.js';
import { SessionUnderTest } from './session-harness.js';

let subject: SessionUnderTest;

beforeEach(async () => {
  subject = new SessionUnderTest();
  await subject.attach();
  subject.log.length = 0;
});

test('observers are notified in the order in which they were added', () => {
  subject.session.observe(subject.observer('second '));
  subject.disconnect();
  subject.session.ended('expired');
  expect(subject.log).toEqual(['disconnected', 'second disconnected', 'expired', 'second expired']);
});

test('removed observers are not notified any more', () => {
  const leave = subject.session.observe(subject.observer('second '));
  leave();
  leave();
  subject.disconnect();
  expect(subject.log).toEqual(['disconnected']);
});

test('all observers learn how the session has ended, even if one of them asks whether it is alive', () => {
  subject.session.observe({ ended: () => subject.session.settle() });
  subject.session.observe(subject.observer('last '));
  subject.session.ended('authenticationFailed');
  expect(subject.log).toEqual(['authenticationFailed', 'last authenticationFailed']);
});

test('observers that are added during a notification receive the next one', () => {
  subject.session.observe({
    disconnected: () => void subject.session.observe(subject.observer('late ')),
  });
  subject.disconnect();
  expect(subject.log).toEqual(['disconnected']);
  subject.session.ended('expired');
  expect(subject.log.slice(1)).toEqual(['expired', 'late expired']);
});

test('a throwing observer becomes an uncaught exception, and all others are notified', async () => {
  const error = new Error('a slip in a teardown');
  const fail = (): never => {
    throw error;
  };
  subject.session.observe({ disconnected: fail, ended: fail });
  subject.session.observe(subject.observer('last '));
  const caught = await uncaughtExceptions(() => {
    subject.disconnect();
    subject.session.ended('expired');
  });
  expect(caught).toEqual([error, error]);
  expect(subject.log).toEqual(['disconnected', 'last disconnected', 'expired', 'last expired']);
});
