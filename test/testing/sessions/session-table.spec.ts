import { expect, test } from 'vitest';
import { SessionIds } from '../../../lib/testing/sessions/session-ids.js';
import { newSession, SessionTable } from '../../../lib/testing/sessions/session-table.js';

const SESSION = newSession(5n, Buffer.alloc(16, 7), 1_000);

function table(): SessionTable {
  const sessions = new SessionTable();
  sessions.add(SESSION);
  return sessions;
}

test('ids begin with the server id and its start time, and count up', () => {
  const wall = Date.UTC(2026, 0, 2);
  const ids = new SessionIds(3, wall);
  const first = ids.next();
  expect(first >> 56n).toBe(3n);
  expect((first >> 16n) & 0xff_ffff_ffffn).toBe(BigInt(wall) & 0xff_ffff_ffffn);
  expect(first & 0xffffn).toBe(0n);
  expect(ids.next()).toBe(first + 1n);
});

test('a session is known only by its right password', () => {
  const sessions = table();
  const { id, password } = SESSION;
  expect(sessions.authenticate(id, Buffer.from(password))).toBe(SESSION);
  const wrong = Buffer.from(password);
  wrong[15]! ^= 1;
  for (const other of [wrong, password.subarray(1), Buffer.alloc(0), null])
    expect(sessions.authenticate(id, other)).toBeUndefined();
  expect(sessions.authenticate(id + 1n, password)).toBeUndefined();
});

test('a removed session is not known any more', () => {
  const sessions = table();
  sessions.remove(SESSION.id);
  expect(sessions.authenticate(SESSION.id, SESSION.password)).toBeUndefined();
  expect([sessions.size, sessions.get(SESSION.id)]).toEqual([0, undefined]);
});
