import { beforeEach, describe, expect, test } from 'vitest';
import { SessionCredentials } from '../../lib/zookeeper/client/session-credentials.js';

const password = Buffer.alloc(16);

test.each([
  { addresses: 1, sessionTimeout: 2_000, connectTimeout: 10_000, ms: 5_000 },
  { addresses: 3, sessionTimeout: 2_000, connectTimeout: 10_000, ms: 2_500 },
  { addresses: 5, sessionTimeout: 20_000, connectTimeout: 10_000, ms: 2_500 },
  { addresses: 1, sessionTimeout: 20_000, connectTimeout: 300, ms: 2_500 },
  { addresses: 0, sessionTimeout: 2_000, connectTimeout: 10_000, ms: 10_000 },
])(
  'without a session an attempt at one of $addresses addresses may take $ms ms of connectTimeout = $connectTimeout (T = $sessionTimeout)',
  ({ addresses, sessionTimeout, connectTimeout, ms }) => {
    const session = new SessionCredentials({ sessionTimeout, connectTimeout });
    expect(session.attemptLimit(addresses, 0)).toBe(ms);
  },
);

test('while there is something to save an attempt may take an eighth of the negotiated timeout, whatever connectTimeout says', () => {
  const session = new SessionCredentials({ sessionTimeout: 2_000, connectTimeout: 600_000 });
  session.adopt({ sessionId: 7n, password, timeout: 4_000 });
  session.detached(1_000);
  expect(session.attemptLimit(1, 1_000)).toBe(500);
  expect(session.attemptLimit(1, 5_000)).toBe(500);
  session.adopt({ sessionId: 7n, password, timeout: 1 });
  expect(session.attemptLimit(1, 1_500)).toBe(62.5);
});

test('a session never becomes longer than it was first, whatever the next server grants', () => {
  const session = new SessionCredentials({ sessionTimeout: 20_000, connectTimeout: 10_000 });
  const seen = [4_000, 20_000, 1_000, 4_000].map((timeout) => {
    session.adopt({ sessionId: 7n, password, timeout });
    return { counts: session.negotiatedTimeout, asked: session.connectRequest(0).timeout };
  });
  expect(seen).toEqual([
    { counts: 4_000, asked: 4_000 },
    { counts: 4_000, asked: 4_000 },
    { counts: 1_000, asked: 4_000 },
    { counts: 4_000, asked: 4_000 },
  ]);
});

test('a session that the server has made longer than asked for is asked for as before', () => {
  const session = new SessionCredentials({ sessionTimeout: 1_000, connectTimeout: 10_000 });
  session.adopt({ sessionId: 7n, password, timeout: 4_000 });
  expect(session.negotiatedTimeout).toBe(4_000);
  expect(session.connectRequest(0).timeout).toBe(1_000);
});

test('a session timeout after the last contact an attempt may take as long as without a session', () => {
  const session = new SessionCredentials({ sessionTimeout: 2_000, connectTimeout: 6_000 });
  session.adopt({ sessionId: 7n, password, timeout: 4_000 });
  session.detached(1_000);
  expect(session.attemptLimit(1, 5_001)).toBe(3_000);
  session.detached(9_000);
  expect(session.attemptLimit(1, 9_000)).toBe(500);
});

test('a session that was never attached has nothing to save, such as that of another process', () => {
  const resume = { sessionId: 7n, password, sessionTimeout: 4_000 };
  const session = new SessionCredentials({ sessionTimeout: 4_000, connectTimeout: 4_000, resume });
  expect(session.attemptLimit(1, 0)).toBe(2_000);
});

describe('a session whose connect requests are answered too late', () => {
  let session: SessionCredentials;
  beforeEach(() => {
    session = new SessionCredentials({ sessionTimeout: 2_000, connectTimeout: 1_000 });
    session.adopt({ sessionId: 7n, password, timeout: 2_000 });
    session.detached(1_000);
  });

  test('is kept while there may be something to save', () => {
    expect(session.unanswered(1_000, 1_250)).toBe(false);
    expect(session.unanswered(2_700, 3_000)).toBe(false);
  });

  test('is given up a session timeout after the first of them that had nothing to save', () => {
    expect(session.unanswered(2_700, 3_000)).toBe(false);
    expect(session.unanswered(2_800, 3_300)).toBe(false);
    expect(session.unanswered(4_300, 4_800)).toBe(false);
    expect(session.unanswered(4_400, 4_801)).toBe(true);
  });

  test('is kept if the servers could not be reached for longer than it lasts, since the one before', () => {
    expect(session.unanswered(2_800, 3_300)).toBe(false);
    expect(session.unanswered(Infinity, 60_000)).toBe(false);
    expect(session.unanswered(61_000, 61_500)).toBe(false);
    expect(session.unanswered(62_900, 63_400)).toBe(true);
  });

  test('is kept if no request has left', () => {
    expect(session.unanswered(Infinity, 3_300)).toBe(false);
    expect(session.unanswered(Infinity, 60_000)).toBe(false);
  });

  test('is kept after another connection', () => {
    session.unanswered(2_800, 3_300);
    session.detached(60_000);
    expect(session.unanswered(62_100, 62_600)).toBe(false);
  });
});

test('without a session there is none to give up', () => {
  const session = new SessionCredentials({ sessionTimeout: 2_000, connectTimeout: 1_000 });
  expect(session.unanswered(0, 500)).toBe(false);
  expect(session.unanswered(5_000, 5_500)).toBe(false);
});

test('a connect request carries the last zxid that was seen, for a session timeout after the last contact', () => {
  const session = new SessionCredentials({ sessionTimeout: 2_000, connectTimeout: 10_000 });
  session.adopt({ sessionId: 7n, password, timeout: 4_000 });
  session.sawZxid(9n);
  session.sawZxid(5n);
  session.detached(1_000);
  expect(session.connectRequest(5_000)).toEqual({ sessionId: 7n, password, lastZxid: 9n, timeout: 2_000 });
  expect(session.connectRequest(5_001)).toMatchObject({ sessionId: 7n, lastZxid: 0n });
});
