import { beforeEach, expect, test } from 'vitest';
import { SessionUnderTest } from './session-harness.js';

let subject: SessionUnderTest;

beforeEach(async () => {
  subject = new SessionUnderTest();
  await subject.attach();
  subject.log.length = 0;
});

test('observers are told in the order in which they came', () => {
  subject.session.observe(subject.observer('second '));
  subject.disconnect();
  subject.session.ended('expired');
  expect(subject.log).toEqual(['disconnected', 'second disconnected', 'expired', 'second expired']);
});

test('observers that left hear nothing more', () => {
  const leave = subject.session.observe(subject.observer('second '));
  leave();
  leave();
  subject.disconnect();
  expect(subject.log).toEqual(['disconnected']);
});

test('observers that come while something is told hear what comes next', () => {
  subject.session.observe({
    disconnected: () => void subject.session.observe(subject.observer('late ')),
  });
  subject.disconnect();
  expect(subject.log).toEqual(['disconnected']);
  subject.session.ended('expired');
  expect(subject.log.slice(1)).toEqual(['expired', 'late expired']);
});
