import { expect, test } from 'vitest';
import { SendWindow } from '../../lib/zookeeper/client/send-window.js';

const T = 20_000;
const open = () => new SendWindow(() => T);

/** Sends as many requests as fit, and answers all of them `ms` later. Returns their number. */
function round(window: SendWindow, at: number, ms: number): number {
  const passages = [];
  while (window.hasRoom) passages.push(window.sent(100, at));
  for (const passage of passages) window.answered(passage, at + ms);
  return passages.length;
}

test('begins with 64 requests', () => {
  expect(round(open(), 0, 1)).toBe(64);
});

test('grows by one for each full window that is answered in time, up to 1,024', () => {
  const window = open();
  for (let i = 0; i < 10; i += 1) round(window, i, 1);
  expect(window.limit).toBe(74);
  for (let i = 10; i < 2_000; i += 1) round(window, i, 1);
  expect(window.limit).toBe(1_024);
});

test('grows by one with each answer while it is kept full', () => {
  const window = open();
  const passages = [];
  while (window.hasRoom) passages.push(window.sent(100, 0));
  for (let now = 1; now <= 10; now += 1) {
    window.answered(passages.shift()!, now);
    passages.push(window.sent(100, now));
  }
  expect(window.limit).toBe(64);
  for (let now = 11; passages.length > 0; now += 1) window.answered(passages.shift()!, now);
  expect(window.limit).toBe(75);
});

test('does not grow while it is not full', () => {
  const window = open();
  for (let i = 0; i < 100; i += 1) window.answered(window.sent(100, i), i + 1);
  expect(window.limit).toBe(64);
});

test('is halved once per round trip when answers take more than T/40 longer than the fastest (H62)', () => {
  const window = open();
  round(window, 0, 1);
  round(window, 10, 502);
  expect(window.limit).toBe(32);
  for (let i = 1; i < 10; i += 1) round(window, i * 1_000, 502);
  expect(window.limit).toBe(4);
});

test('is not reduced by a constant long round trip', () => {
  const window = open();
  for (let i = 0; i < 10; i += 1) round(window, i * 2_000, 900);
  expect(window.limit).toBe(74);
});

test('holds 256 KiB, and one request however large it is', () => {
  const window = open();
  const large = window.sent(1024 * 1024, 0);
  expect(window.hasRoom).toBe(false);
  window.answered(large, 1);
  for (let i = 0; i < 4; i += 1) {
    expect(window.hasRoom).toBe(true);
    window.sent(64 * 1024, 1);
  }
  expect(window.hasRoom).toBe(false);
});
