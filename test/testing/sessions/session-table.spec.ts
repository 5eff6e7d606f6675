import { expect, test } from 'vitest';
import { SessionTable } from '../../../lib/testing/sessions/session-table.js';
import { FakeClock } from '../../unit/fake-clock.js';

function table() {
  const clock = new FakeClock();
  const expired: bigint[] = [];
  return { clock, expired, sessions: new SessionTable(clock, 500, ({ id }) => expired.push(id)) };
}

test('ids begin with the server id and its start time, and count up', () => {
  const { clock, sessions } = table();
  const first = sessions.create(1_000).id;
  expect(first >> 56n).toBe(1n);
  expect((first >> 16n) & 0xff_ffff_ffffn).toBe(BigInt(clock.wall()) & 0xff_ffff_ffffn);
  expect(first & 0xffffn).toBe(0n);
  expect(sessions.create(1_000).id).toBe(first + 1n);
});

test('resumes only with the right password', () => {
  const { sessions } = table();
  const { id, password } = sessions.create(1_000);
  expect(sessions.resume(id, password, 2_000)?.timeout).toBe(2_000);
  const wrong = Buffer.from(password);
  wrong[15]! ^= 1;
  for (const other of [wrong, password.subarray(1), Buffer.alloc(0), null])
    expect(sessions.resume(id, other, 1_000)).toBeUndefined();
  expect(sessions.resume(id + 1n, password, 1_000)).toBeUndefined();
});

test('an attempt with a wrong password does not extend the session', () => {
  const { clock, expired, sessions } = table();
  const { id } = sessions.create(1_000);
  clock.advance(1_400);
  sessions.resume(id, Buffer.alloc(16), 40_000);
  clock.advance(100);
  expect(expired).toEqual([id]);
});

test('passwords cannot be derived from others', () => {
  const { sessions } = table();
  expect(sessions.create(1_000).password).not.toEqual(sessions.create(1_000).password);
});

test('a removed session cannot be resumed and does not expire', () => {
  const { clock, expired, sessions } = table();
  const { id, password } = sessions.create(1_000);
  sessions.remove(id);
  expect(sessions.touch(id)).toBe(false);
  expect(sessions.resume(id, password, 1_000)).toBeUndefined();
  clock.advance(60_000);
  expect(expired).toEqual([]);
});
